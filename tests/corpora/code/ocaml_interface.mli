(** A shelf of films, and who has borrowed which.

    Films are told apart by their number, since titles are not unique. *)

open Base

type film = private { number : int; title : string; minutes : int }
(** A film never changes once it is on the shelf. *)

type loan = {
  film : film;
  member : string;
  until : Date.t;  (** the last day *)
}

exception Lent_out of film

val shelf_size : int

val borrow : shelf:film list -> member:string -> int -> (loan, [ `Lent_out of loan | `No_such_film ]) Result.t
(** [borrow ~shelf ~member number] hands a film out for a week.

    Members who have three films at home already, or who owe money, get the answer that the film is lent
    out; nobody needs to hear the reason at the desk, in front of others. *)

val ( <=> ) : loan -> loan -> int

(** Days that a loan is over its time, [0] if it is not. *)
val days_late : today:Date.t -> loan -> int

external now : unit -> float = "shelf_now"

module type PRICES = sig
  val per_day : film -> int
  (** In cents. *)

  val deposit : int
end

module Ledger (_ : PRICES) : sig
  type t

  val create : unit -> t
  (** An empty ledger. *)

  val enter : t -> loan -> unit
  (** Writes a loan down. A loan that is entered twice is counted once: the desk prints a receipt for every
      loan, and people come back with both. *)

  val owed : t -> member:string -> today:Date.t -> int
  (** What a member has to pay when all films come back today; the deposit is taken off, and nobody pays
      more than the price of a new copy. *)
end

class type reader = object
  method next : film option
end
