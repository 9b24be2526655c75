defmodule Ferry.Booking do
  @moduledoc """
  Seats and cars on a ferry, booked until it sails.

  A booking holds its place for half an hour; after that somebody else may have it.
  """

  use GenServer
  import Ecto.Query, only: [from: 2]
  alias Ferry.{Deck, Ticket}
  alias Ferry.Clock, as: Time
  require Logger

  @behaviour Ferry.Carrier
  @hold_s 30 * 60

  defstruct [:ferry, seats: 0, cars: []]

  @type t :: %__MODULE__{ferry: String.t(), seats: non_neg_integer(), cars: [Deck.car()]}
  @type reason :: :full | :sailed | {:too_long, pos_integer()}

  @callback sail(t()) :: :ok

  @doc "Starts the desk of one ferry."
  def start_link(opts) do
    GenServer.start_link(__MODULE__, opts, name: via(opts[:ferry]))
  end

  @doc """
  Books seats and, if there is one, a car.

  Cars are measured in half metres, because that is how the deck is marked.

      iex> Ferry.Booking.book("Runa", 2)
      {:ok, %Ferry.Ticket{seats: 2}}
  """
  @spec book(String.t(), pos_integer(), Deck.car() | nil) :: {:ok, Ticket.t()} | {:error, reason()}
  def book(ferry, seats, car \\ nil)

  def book(_ferry, seats, _car) when seats > 9 do
    {:error, :full}
  end

  def book(ferry, seats, car) do
    GenServer.call(via(ferry), {:book, seats, car})
  end

  # The desk may be asked for a ferry that has sailed already.
  @impl true
  def handle_call({:book, _, _}, _from, %{sailed?: true} = state) do
    {:reply, {:error, :sailed}, state}
  end

  def handle_call({:book, seats, nil}, _from, state) do
    ticket = Ticket.new(seats, Time.now() + @hold_s)
    {:reply, {:ok, ticket}, %{state | seats: state.seats + seats}}
  end

  def handle_call({:book, seats, car}, from, state) do
    case Deck.place(state.cars, car) do
      {:ok, cars} -> handle_call({:book, seats, nil}, from, %{state | cars: cars})
      {:error, metres} -> {:reply, {:error, {:too_long, metres}}, state}
    end
  end

  defmacro on_deck(do: block) do
    quote do
      Logger.debug("on deck")
      unquote(block)
    end
  end

  defguardp is_long(car) when is_map(car) and car.length > 10

  def a <~> b, do: Deck.length(a) == Deck.length(b)

  defp via(ferry), do: {:via, Registry, {Ferry.Registry, ferry}}
end

defprotocol Ferry.Loadable do
  @doc "Metres of deck that something takes."
  def length(thing)
end

defimpl Ferry.Loadable, for: Ferry.Truck do
  def length(truck), do: truck.length + truck.trailer
end
