#include <string>
#include <vector>
#include "shape.hpp"

namespace drawing {

using Points = std::vector<Point>;

/// A closed line through several points.
template <typename Number>
class Polygon : public Shape {
public:
    explicit Polygon(Points points) : points_(std::move(points)) {
        if (points_.size() < 3) throw std::invalid_argument("a polygon has three corners or more");
    }

    ~Polygon() override = default;

    // Shoelace formula; negative when the corners run clockwise.
    Number signed_area() const {
        Number twice = 0;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const Point& a = points_[i];
            const Point& b = points_[(i + 1) % points_.size()];
            twice += a.x * b.y - b.x * a.y;
        }
        return twice / 2;
    }

    bool operator==(const Polygon& other) const { return points_ == other.points_; }

private:
    Points points_;
    std::string label_;
};

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
    pixels_.resize(static_cast<std::size_t>(width) * height, Color::white());
    history_.push_back(Snapshot::of(pixels_));
}

// Paints every pixel whose centre lies inside.
void Canvas::fill(const Polygon<double>& polygon, Color color) {
    for (int y = 0; y < height_; ++y) {
        for (int x = 0; x < width_; ++x) {
            if (polygon.contains({x + 0.5, y + 0.5})) at(x, y) = color;
        }
    }
}

}  // namespace drawing
