#include "figure/layout/grid.h"

#include <gtest/gtest.h>

namespace attnscope {
namespace {

constexpr double kRounding = 1e-6;

std::vector<PanelShape> shapes() {
  std::vector<PanelShape> list;
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{1, 1}, {6, 6}, {3, 6}, {6, 28}, {40, 5}, {300, 300}, {1, 2000}}) {
    list.push_back({rows, columns, 0, 20, 20, 0, 48});
    list.push_back({rows, columns, 45, 60, 26, 0, 32});
    list.push_back({rows, columns, 12, 40, 22, 110, 48});
  }
  return list;
}

TEST(Grid, HoldsAllPanelsWithoutAnEmptyRow) {
  for (const PanelShape& shape : shapes()) {
    for (const Index count : {1, 2, 3, 4, 7, 10, 64}) {
      for (const double width : {100.0, 480.0, 672.0, 1500.0}) {
        for (const double height : {0.0, 200.0, 900.0}) {
          const Grid grid = fit_grid(count, shape, width, height);
          SCOPED_TRACE(testing::Message()
                       << shape.rows << " × " << shape.columns << ", " << count << " in " << width << " × " << height);
          EXPECT_GE(grid.across * grid.down, count);
          EXPECT_LT(grid.across * (grid.down - 1), count);
          EXPECT_GE(grid.across, 1);
          EXPECT_LE(grid.across, count);
          EXPECT_GT(grid.cell_width, 0);
          EXPECT_GT(grid.cell_height, 0);
          EXPECT_LE(grid.cell_width, shape.largest_cell);
          EXPECT_LE(grid.cell_height, shape.largest_cell);
          // Only a single panel may be wider than the page.
          if (grid.across > 1) {
            EXPECT_LE(grid.width(), width + kRounding);
          }
          EXPECT_GE(grid.panel_width + kRounding, shape.left + grid.cell_width * static_cast<double>(shape.columns));
          EXPECT_GE(grid.panel_width, shape.least_width);
          EXPECT_NEAR(grid.panel_height, shape.top + grid.cell_height * static_cast<double>(shape.rows), kRounding);
        }
      }
    }
  }
}

TEST(Grid, PanelsStandBesideAndBelowEachOther) {
  const Grid grid = fit_grid(7, {6, 6, 20, 30, 22, 0, 48}, 672, 500);
  for (Index i = 0; i < 7; ++i) {
    const Point a = grid.corner(i);
    EXPECT_LE(a.x + grid.panel_width, grid.width() + kRounding);
    EXPECT_LE(a.y + grid.panel_height, grid.height() + kRounding);
    for (Index j = 0; j < i; ++j) {
      const Point b = grid.corner(j);
      const Rect both = Rect{a.x, a.y, grid.panel_width, grid.panel_height}.intersection(
          {b.x, b.y, grid.panel_width, grid.panel_height});
      EXPECT_EQ(both.width * both.height, 0) << i << " and " << j;
    }
  }
}

TEST(Grid, KeepsToTheHeightWhereItCan) {
  for (const double height : {150.0, 250.0, 400.0, 800.0}) {
    const Grid grid = fit_grid(8, {6, 6, 20, 30, 22, 0, 48}, 900, height);
    EXPECT_LE(grid.height(), height + kRounding) << height;
  }
}

TEST(Grid, TakesTheLargestCells) {
  // No arrangement with whole pixels that fits has larger cells.
  const PanelShape shape = {6, 6, 20, 30, 22, 0, 48};
  for (const Index count : {1, 2, 5, 8, 10}) {
    for (const double width : {300.0, 672.0, 1200.0}) {
      for (const double height : {250.0, 500.0, 900.0}) {
        const Grid grid = fit_grid(count, shape, width, height);
        if (grid.height() > height) continue;
        for (Index across = 1; across <= count; ++across) {
          const auto columns = static_cast<double>(across);
          const auto rows = static_cast<double>((count + across - 1) / across);
          const double larger = grid.cell_width + 1;
          const bool fits =
              columns * (20 + 6 * larger + 22) - 22 <= width && rows * (30 + 6 * larger + 22) - 22 <= height;
          EXPECT_FALSE(fits && larger <= 48)
              << count << " in " << width << " × " << height << ", " << across << " across";
        }
      }
    }
  }
}

TEST(Grid, RoundingOverManyColumnsCostsNoPlace) {
  for (Index cells = 60; cells < 70'000; cells += 1 + cells / 20) {
    const PanelShape shape = {cells, cells, 20, 30, 22, 0, 48};
    EXPECT_GE(fit_grid(12, shape, 731.7, 600).across, 4) << cells;
  }
}

TEST(Grid, MoreRoomNeverMeansSmallerCells) {
  const PanelShape shape = {6, 9, 20, 30, 22, 0, 48};
  double before = 0;
  for (double width = 200; width < 1600; width += 40) {
    const Grid grid = fit_grid(8, shape, width, width);
    EXPECT_GE(grid.cell_width, before) << width;
    before = grid.cell_width;
  }
  EXPECT_GT(before, 30);
}

}  // namespace
}  // namespace attnscope
