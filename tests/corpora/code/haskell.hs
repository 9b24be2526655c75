{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE TupleSections #-}

-- | A clock tower: wheels, weights and the hours they strike.
--
-- Everything is pure; somebody else has to pull the rope.
module Tower.Clock
  ( Wheel (..)
  , Strike
  , strikes
  , module Tower.Bell
  ) where

import Data.List (foldl', sortOn)
import qualified Data.Map.Strict as Map
import "text" Data.Text (Text)
import Tower.Bell

-- | Teeth and period of a wheel.
data Wheel = Wheel
  { teeth :: !Int       -- ^ counted twice
  , period :: Rational  -- ^ in seconds
  }
  deriving (Eq, Show)

newtype Hour = Hour Int deriving (Eq, Ord)

type Strike = (Hour, [Bell])

-- | How often the bell is struck at an hour.
--
-- Quarters are struck on the small bell, before the hour is; at noon and at midnight the great bell takes
-- over and the small one rests, so that nobody counts to sixteen.
strikes :: Hour -> Int -> [Bell]
strikes (Hour 0) quarter = strikes (Hour 12) quarter
strikes (Hour hour) quarter
  | quarter < 4 = replicate quarter Small
  | hour == 12 = replicate 12 Great
  | otherwise = small <> great
  where
    small = replicate quarter Small
    great = replicate hour Great
{-# INLINE strikes #-}

infixr 5 <+>

(<+>) :: Wheel -> Wheel -> Rational
a <+> b = period a * fromIntegral (teeth b) / fromIntegral (teeth a)

-- | What can be wound up.
class Winding a where
  -- | Turns of the crank until it is wound.
  turns :: a -> Int

  -- | Minutes of work. A person turns the crank twelve times a minute and needs a rest after every fifty
  -- turns, which is counted as two minutes; the great weight is wound by two people.
  minutes :: a -> Int
  minutes thing = turned + 2 * (turns thing `div` 50)
    where
      turned = turns thing `div` 12

  isWound :: a -> Bool
  isWound = (== 0) . turns
  {-# MINIMAL turns #-}

instance Winding Wheel where
  turns wheel = teeth wheel `div` 8

instance Winding a => Winding (Maybe a) where
  turns = maybe 0 turns

-- Wheels are ordered by how fast they go, so that oil goes to the right ones first.
oiled :: Map.Map Text Wheel -> [Text]
oiled = map fst . sortOn (negate . rate . snd) . Map.toList
  where
    rate wheel = fromIntegral (teeth wheel) / period wheel

limit :: Int
limit = 4

simulate :: Int -> [Wheel] -> [(Hour, Int)]
simulate days = foldl' step [] . concatMap (replicate days)
  where
    step seen wheel = case seen of
      [] -> [(Hour 0, teeth wheel)]
      ((Hour hour, count) : rest)
        | hour == 23 -> (Hour 0, count + teeth wheel) : rest
        | otherwise -> (Hour (hour + 1), count) : rest

main :: IO ()
main = mapM_ print (simulate limit [Wheel 60 3600])
