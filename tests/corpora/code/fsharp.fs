/// Keeps the score of a chess club's evenings.
module Club.Ladder

open System
open System.Collections.Generic
open Club.Players

[<Literal>]
let StartRating = 1200.0

/// How a game ended, seen from White.
type Result =
    | Win
    | Draw
    | Loss
    | Adjourned of move: int

[<Struct; CustomEquality; NoComparison>]
type Standing =
    { Player: string
      Rating: float
      Games: int }

    /// Newcomers move faster on the ladder.
    member this.Factor = if this.Games < 10 then 40.0 else 20.0

    static member Fresh(player: string) =
        { Player = player; Rating = StartRating; Games = 0 }

    override this.Equals(other: obj) =
        match other with
        | :? Standing as standing -> standing.Player = this.Player
        | _ -> false

    override this.GetHashCode() = hash this.Player

exception UnknownPlayer of string

/// Points that White was expected to make.
let expected (white: Standing) (black: Standing) =
    let difference = (black.Rating - white.Rating) / 400.0
    1.0 / (1.0 + Math.Pow(10.0, difference))

let private points result =
    match result with
    | Win -> Some 1.0
    | Draw -> Some 0.5
    | Loss -> Some 0.0
    | Adjourned _ -> None

/// The ladder itself. It is not safe to use from two threads.
[<AllowNullLiteral>]
type Ladder(name: string, clock: unit -> DateTime) =
    let standings = Dictionary<string, Standing>()
    let mutable lastGame = DateTime.MinValue

    new(name) = Ladder(name, (fun () -> DateTime.UtcNow))

    /// The best players first.
    member _.Top(count: int) =
        standings.Values
        |> Seq.sortByDescending (fun standing -> standing.Rating)
        |> Seq.truncate count
        |> List.ofSeq

    // An adjourned game changes nothing until it is finished.
    member this.Record(white: string, black: string, result: Result) =
        match points result with
        | None -> ()
        | Some score ->
            let first, second = this.Find white, this.Find black
            let change = first.Factor * (score - expected first second)
            standings[white] <- { first with Rating = first.Rating + change }
            standings[black] <- { second with Rating = second.Rating - change }
            lastGame <- clock ()

    member private _.Find(player: string) =
        match standings.TryGetValue player with
        | true, standing -> standing
        | _ -> raise (UnknownPlayer player)

    override _.ToString() = $"{name}, {standings.Count} players, last game on {lastGame:d}"

    interface IDisposable with
        member _.Dispose() =
            printfn "the ladder %s is put away until next week" name
            standings.Clear()

type Ladder with
    member this.Champion = this.Top 1 |> List.tryHead

/// Reading and writing the slips of paper from the evening.
module Slips =
    let (|Score|_|) (text: string) =
        match text.Trim() with
        | "1-0" -> Some Win
        | "0-1" -> Some Loss
        | "½-½" -> Some Draw
        | _ -> None

    let rec readAll (ladder: Ladder) (lines: string list) =
        let names (line: string) = line.Split('/')

        match lines with
        | [] -> ladder
        | line :: rest ->
            match names line with
            | [| white; black; Score result |] -> ladder.Record(white, black, result)
            | parts -> eprintfn "cannot read a slip of %d parts" parts.Length

            readAll ladder rest
