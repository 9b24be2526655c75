--- Keeps the score of a card game and says who leads.
-- @module score
local class = require("middleclass")
local log = require 'lib.log'

local M = {}

M.LIMIT = 500

--- Points of the cards that count for more than their number.
local values = {
  ace = 15,
  king = 10,
  queen = 10,
  jack = 10,
}

local function points(card)
  return values[card.rank] or card.number
end

--- Adds up a hand.
-- Jokers count for nothing when the round was won with one in hand.
-- @param hand list of cards
-- @param won whether the player closed the round
function M.count(hand, won)
  local total = 0
  for _, card in ipairs(hand) do
    if card.rank == "joker" then
      total = total + (won and 0 or 25)
    else
      total = total + points(card)
    end
  end
  return total
end

M.leader = function(table_of_scores)
  local best, name = -1, nil
  for player, score in pairs(table_of_scores) do
    if score > best then
      best, name = score, player
    end
  end
  return name, best
end

-- What the screen calls when something happens; all of it may be replaced.
M.handlers = {
  -- A card was laid on the table.
  on_card = function(game, card)
    log.debug("card", card.rank)
    game.pile[#game.pile + 1] = card
    game.turn = game.turn % #game.players + 1
  end,

  on_close = function(game, player)
    for _, other in ipairs(game.players) do
      local lost = other ~= player and M.count(other.hand, false) or 0
      game.scores[player] = game.scores[player] + lost
    end
    game.closed = true
  end,

  delay_s = 0.3,
}

local Round = class("Round")

function Round:initialize(players)
  self.players = players
  self.scores = {}
end

--- Deals until every player has seven cards.
function Round:deal(stack)
  for _ = 1, 7 do
    for _, player in ipairs(self.players) do
      local card = table.remove(stack)
      if not card then
        error("the stack is empty before the round has begun")
      end
      player.hand[#player.hand + 1] = card
    end
  end
end

M.Round = Round

return M
