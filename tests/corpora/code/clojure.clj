(ns orchard.harvest
  "Apples from the tree to the crate, and what they weigh."
  (:require [clojure.string :as str]
            [clojure.set :refer [union]]
            [orchard.weather :as weather])
  (:import (java.time LocalDate)))

(set! *warn-on-reflection* true)

(def crate-kg 18)

;; Pickers count in buckets, the ledger in kilograms.
(defonce ledger (atom {}))

(defn- bucket->kg [buckets]
  (* 6.5 buckets))

(defn ripe?
  "Tells whether a variety may be picked on a day.

  Rain on the two days before keeps everybody at home, because wet apples do not keep, and a frost ends
  the season whatever the calendar says about the variety."
  [variety ^LocalDate day]
  (let [rain (weather/rain-mm (.minusDays day 2) day)
        frost (weather/frost-since? (:season variety) day)]
    (and (not frost)
         (< rain 4.0)
         (<= (:ripe-from variety) (.getDayOfYear day) (:ripe-until variety)))))

(defmulti price "Price of a crate, by what becomes of it." :use)

(defmethod price :juice [crate]
  (* 0.18 (:kg crate)))

(defmethod price :table
  [{:keys [kg grade]}]
  (let [base (* 1.4 kg)]
    (if (= grade :first) (* 1.25 base) base)))

(defprotocol Store
  "Where crates wait for the lorry."
  (put-in! [store crate]
    "Takes a crate in; the oldest ones have to stand in front, so that they leave first.")
  (take-out! [store n]
    "Hands out crates, oldest first; fewer than asked for when the store runs empty.")
  (room [store] "Crates that still fit."))

(defrecord Cellar [crates limit]
  Store
  (put-in! [_ crate]
    (when (<= limit (count @crates))
      (throw (ex-info "the cellar is full, drive to the barn" {:limit limit})))
    (swap! crates conj crate))
  (take-out! [_ n]
    (let [leaving (take n (sort-by :picked-on @crates))]
      (swap! crates #(remove (set leaving) %))
      (doall leaving)))
  (room [_]
    (- limit (count @crates)))

  Object
  (toString [_]
    (str "cellar with " (count @crates) " of " limit " crates")))

(defmacro on-dry-day
  [day & body]
  `(when (zero? (weather/rain-mm ~day ~day))
     ~@body))

(defn ^:private report [rows]
  (str/join \newline (for [{:keys [variety kg]} rows] (str variety ": " kg " kg"))))

#?(:clj
   (defn -main [& _]
     (println (report (vals @ledger)))))

(comment
  (ripe? {:season 2024 :ripe-from 240 :ripe-until 280} (LocalDate/of 2024 9 12)))
