# Growth of plants in the greenhouse, from weekly measurements.
library(dplyr)
suppressPackageStartupMessages(library("ggplot2"))
source("R/readings.R")

MISSING_CM <- -9
weeks = 1:12

#' Read measurements of one bed
#'
#' Heights below zero mean that nobody measured.
#'
#' @param path a CSV file with columns plant, week, height_cm
#' @return a data frame, one row per plant and week
#' @export
read_bed <- function(path) {
  bed <- read.csv(path, stringsAsFactors = FALSE)
  bed$height_cm[bed$height_cm == MISSING_CM] <- NA
  bed[order(bed$plant, bed$week), ]
}

#' @rdname read_bed
read_beds = function(paths) do.call(rbind, lapply(paths, read_bed))

# Growth is counted from the first week in which a plant was measured, not from the day it was sown.
growth <- function(bed, per = c("week", "day")) {
  per <- match.arg(per)
  divisor <- if (per == "day") 7 else 1
  bed %>%
    group_by(plant) %>%
    mutate(first = dplyr::first(height_cm[!is.na(height_cm)])) %>%
    summarise(rate = mean(diff(height_cm), na.rm = TRUE) / divisor)
}

`%per%` <- function(a, b) ifelse(b == 0, NA, a / b)

"height<-" <- function(x, value) {
  x$height_cm <- value
  x
}

setClass("Plant", representation(name = "character", heights = "numeric"))

setGeneric("tallest", function(x, ...) standardGeneric("tallest"))

#' The greatest height that was ever measured
setMethod("tallest", "Plant", function(x, ...) {
  heights <- x@heights[!is.na(x@heights)]
  if (length(heights) == 0) {
    stop("plant ", x@name, " was never measured, look at the list of beds")
  }
  max(heights)
})

Greenhouse <- R6::R6Class("Greenhouse",
  public = list(
    beds = list(),

    #' @description Adds a bed under its name.
    add = function(name, bed) {
      if (name %in% names(self$beds)) {
        stop("there is already a bed called ", name)
      }
      self$beds[[name]] <- bed
      invisible(self)
    },

    summary = function() {
      rates <- lapply(self$beds, growth, per = "day")
      data.frame(bed = names(rates), rate = vapply(rates, function(r) mean(r$rate), numeric(1)))
    }
  ),
  private = list(
    log = function(...) {
      message("[greenhouse] ", ...)
    }
  )
)

if (interactive()) {
  print(growth(read_bed("beds/north.csv")))
}
