%% @doc A queue of letters that are sorted by the district they go to.
%%
%% Nothing is lost when the sorter dies: letters wait in the table of their owner.
-module(sorter).
-behaviour(gen_server).

-include("letters.hrl").
-include_lib("kernel/include/logger.hrl").
-import(lists, [keyfind/3, reverse/1]).

-export([start_link/1, sort/2, district/1]).
-export([init/1, handle_call/3]).

-define(LIMIT, 500).
-define(DISTRICT(Code), (Code div 1000)).

%% What the sorter remembers between two letters.
-record(state, {table :: ets:tid(), limit = ?LIMIT :: pos_integer(), late = [] :: [letter()]}).

-type letter() :: {Code :: pos_integer(), Text :: binary()}.
-opaque tray() :: [letter()].
-callback route(letter()) -> tray().

-export_type([letter/0, tray/0]).

-spec start_link(ets:tid()) -> {ok, pid()} | {error, term()}.
start_link(Table) ->
    gen_server:start_link({local, ?MODULE}, ?MODULE, Table, []).

%% @doc Sorts letters into trays, one for every district.
%% Letters without a code come last, in the order in which they were posted, so that somebody can look at
%% them before the van leaves.
-spec sort([letter()], pos_integer()) -> [tray()].
sort([], _Limit) ->
    [];
sort(Letters, Limit) when length(Letters) > Limit ->
    {Now, Later} = lists:split(Limit, Letters),
    sort(Now, Limit) ++ sort(Later, Limit);
sort(Letters, _Limit) ->
    Trays = lists:foldl(
        fun({Code, _} = Letter, Trays) ->
            maps:update_with(?DISTRICT(Code), fun(Tray) -> [Letter | Tray] end, [Letter], Trays)
        end,
        #{},
        Letters
    ),
    [reverse(Tray) || {_, Tray} <- lists:sort(maps:to_list(Trays))].

district(Code) when Code < 1000 -> unknown;
district(Code) -> ?DISTRICT(Code).

init(Table) ->
    ?LOG_INFO("sorter starts with ~p letters", [ets:info(Table, size)]),
    {ok, #state{table = Table}}.

handle_call({post, Letter}, _From, #state{table = Table} = State) ->
    true = ets:insert(Table, Letter),
    {reply, ok, State};
handle_call(flush, _From, #state{table = Table, limit = Limit} = State) ->
    Trays = sort(ets:tab2list(Table), Limit),
    true = ets:delete_all_objects(Table),
    {reply, {ok, Trays}, State};
handle_call(Other, From, State) ->
    ?LOG_WARNING("~p asked for ~p, which the sorter does not do", [From, Other]),
    {reply, {error, unknown}, State}.

-ifdef(TEST).
-include_lib("eunit/include/eunit.hrl").

district_test() ->
    ?assertEqual(unknown, district(7)),
    ?assertEqual(20, district(20457)).
-endif.
