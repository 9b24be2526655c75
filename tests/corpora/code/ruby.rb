# frozen_string_literal: true

require "json"
require_relative "recipe/step"

module Kitchen
  # Something that can be cooked.
  class Recipe < Document
    include Comparable
    SERVINGS = 4

    attr_reader :title, :steps

    def initialize(title, steps: [], servings: SERVINGS)
      @title = title
      @steps = steps.map { |step| Step.coerce(step) }
      @servings = servings
    end

    # Returns a copy for more or fewer people; amounts are rounded up.
    def scale_to(people)
      factor = people.fdiv(@servings)
      scaled = steps.map { |step| step.with_amount((step.amount * factor).ceil) }
      self.class.new(title, steps: scaled, servings: people)
    end

    def self.load(path)
      source = JSON.parse(File.read(path), symbolize_names: true)
      new(source.fetch(:title), steps: source.fetch(:steps), servings: source[:servings])
    end

    class << self
      def favourites
        @favourites ||= Dir["recipes/favourites/*.json"].sort.map { |path| load(path) }
      end
    end

    def to_s = title

    private

    def <=>(other)
      title <=> other.title
    end
  end
end
