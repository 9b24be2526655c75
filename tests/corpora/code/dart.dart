/// Recipes and the shopping they ask for.
library pantry;

import 'dart:async';
import 'dart:convert' show jsonDecode;
import 'package:meta/meta.dart' as meta;

export 'src/units.dart';
part 'pantry.g.dart';

const double teaspoon = 4.93;
final Map<String, Recipe> _known = <String, Recipe>{};

/// Turns an amount of any unit into grams, as far as a kitchen scale can tell.
typedef Converter = double Function(double amount, String unit);

/// One line of a recipe.
@meta.immutable
class Ingredient {
  const Ingredient(this.name, this.amount, {this.unit = 'g'});

  final String name;
  final double amount;
  final String unit;
}

enum Course {
  starter('before'),
  main('with wine'),
  dessert('after');

  const Course(this.note);
  final String note;

  bool get isSweet => this == Course.dessert;
}

/// A dish, its ingredients and the way there.
///
/// Amounts are for four.
class Recipe extends Entry with Rated implements Comparable<Recipe> {
  static const int servings = 4;

  Course course;
  final List<Ingredient> ingredients;
  final StreamController<String> _log = StreamController.broadcast();

  Recipe(super.title, {required this.ingredients, this.course = Course.main}) {
    if (ingredients.isEmpty) {
      throw ArgumentError.value(ingredients, 'ingredients', 'a dish needs something to eat');
    }
  }

  /// Reads what [toJson] has written.
  factory Recipe.fromJson(String text) {
    final fields = jsonDecode(text) as Map<String, dynamic>;
    final lines = (fields['ingredients'] as List).cast<Map<String, dynamic>>();
    return Recipe(fields['title'] as String, ingredients: lines.map(_$IngredientFromJson).toList());
  }

  // Salt and water are always in the house.
  Iterable<Ingredient> get shopping sync* {
    for (final ingredient in ingredients) {
      if (ingredient.name != 'salt' && ingredient.name != 'water') yield ingredient;
    }
  }

  @override
  int compareTo(Recipe other) {
    final byCourse = course.index.compareTo(other.course.index);
    return byCourse != 0 ? byCourse : title.toLowerCase().compareTo(other.title.toLowerCase());
  }

  Recipe operator *(double factor) => Recipe(title,
      ingredients: [for (final i in ingredients) Ingredient(i.name, i.amount * factor, unit: i.unit)]);

  Future<void> close() async {
    _log.add('closing $title, which was rated $stars by everybody who has cooked it');
    await _log.close();
  }
}

mixin Rated on Entry {
  int stars = 0;

  void rate(int given) {
    if (given < 1 || given > 5) throw RangeError.range(given, 1, 5, 'given');
    stars = stars == 0 ? given : ((stars + given) / 2).round();
  }
}

extension Totals on Iterable<Ingredient> {
  /// What stands on one line of the list, whatever dishes it is for.
  Map<String, double> totals(Converter toGrams) {
    final sums = <String, double>{};
    for (final ingredient in this) {
      final grams = toGrams(ingredient.amount, ingredient.unit);
      sums.update(ingredient.name, (known) => known + grams, ifAbsent: () => grams);
    }
    return sums;
  }

  int get kinds => map((ingredient) => ingredient.name.toLowerCase()).toSet().length;
}

@visibleForTesting
Future<Recipe?> find(String title, {Duration patience = const Duration(seconds: 2)}) async {
  await Future<void>.delayed(patience);
  return _known[title];
}
