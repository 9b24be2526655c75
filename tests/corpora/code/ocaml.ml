(** Letters of a printing press: cases, sorts and lines of type. *)

open Base
open! Stdio
include Press_types

exception Out_of_sort of char

(** A sort is one piece of type; its width is in units of the em. *)
type sort = { letter : char; width : int }

and line = { sorts : sort list; measure : int } [@@deriving show]

type ink = Black | Red of int

let em = 18
let default_measure = 24 * em

(** Set a word letter by letter.

    The case runs empty sooner or later; then the compositor has to wait for the last page to come back
    from the press before he goes on. *)
let set_word case word =
  String.to_list word
  |> List.map ~f:(fun letter ->
         match Hashtbl.find case letter with
         | Some (sort :: rest) ->
             Hashtbl.set case ~key:letter ~data:rest;
             sort
         | Some [] | None -> raise (Out_of_sort letter))

(* Widths are added from the left, as the hand does. *)
let rec width = function
  | [] -> 0
  | sort :: rest -> sort.width + width rest

let rec justify line spare = if spare <= 0 then line else widen line (spare - 1)

and widen line spare =
  let space = { letter = ' '; width = 1 } in
  justify { line with sorts = space :: line.sorts } spare

let ( ++ ) a b = { a with sorts = a.sorts @ b.sorts }
let twice = fun f x -> f (f x)

external weigh : string -> int = "press_weigh"

module type CASE = sig
  type t

  val take : t -> char -> sort option
  (** The next piece of a letter, if there is one left. *)

  val put_back : t -> sort -> unit
end

module Case : CASE = struct
  type t = (char, sort list) Hashtbl.t

  (* Pieces are taken from the front, so that all of them wear alike. *)
  let take case letter =
    match Hashtbl.find case letter with
    | Some (sort :: rest) ->
        Hashtbl.set case ~key:letter ~data:rest;
        Some sort
    | Some [] | None -> None

  let put_back case sort =
    let pieces = Option.value (Hashtbl.find case sort.letter) ~default:[] in
    Hashtbl.set case ~key:sort.letter ~data:(pieces @ [ sort ])
end

module Make (C : CASE) = struct
  let available case letter = Option.is_some (C.take case letter)
end

class press speed =
  object (self)
    val mutable sheets = 0

    method print copies =
      for _ = 1 to copies do
        sheets <- sheets + 1;
        if sheets % speed = 0 then self#rest
      done

    method private rest =
      Out_channel.print_endline "the press rests, the ink is filled up again"

    method sheets = sheets
  end

let () =
  let case = Hashtbl.create (module Char) in
  ignore (set_word case "")
