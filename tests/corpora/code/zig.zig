//! A queue of letters that are sorted by the time they are due.

const std = @import("std");
const time = @import("time.zig");
const Allocator = std.mem.Allocator;

pub const Error = error{ QueueFull, NotDue };

/// A letter and when it has to arrive.
pub const Letter = struct {
    due: i64,
    text: []const u8,

    fn isEarlier(left: Letter, right: Letter) bool {
        return left.due < right.due;
    }
};

pub const Priority = enum(u8) {
    slow,
    normal,
    express,

    pub fn days(self: Priority) u8 {
        return switch (self) {
            .slow => 7,
            .normal => 3,
            .express => 1,
        };
    }
};

/// The letters that wait, the most urgent one last.
pub const Queue = struct {
    letters: std.ArrayList(Letter),
    limit: usize = 1000,

    const Self = @This();

    pub fn init(allocator: Allocator, limit: usize) Self {
        return .{
            .letters = std.ArrayList(Letter).init(allocator),
            .limit = limit,
        };
    }

    pub fn deinit(self: *Self) void {
        for (self.letters.items) |letter| {
            self.letters.allocator.free(letter.text);
        }
        self.letters.deinit();
    }

    /// Letters of the same minute keep their order.
    pub fn add(self: *Self, letter: Letter) !void {
        if (self.letters.items.len >= self.limit) return Error.QueueFull;
        var place = self.letters.items.len;
        while (place > 0 and Letter.isEarlier(self.letters.items[place - 1], letter)) {
            place -= 1;
        }
        try self.letters.insert(place, letter);
    }

    // The clock is a parameter, so that tests do not have to wait.
    pub fn next(self: *Self, now: i64) Error!Letter {
        const last = self.letters.getLastOrNull() orelse return Error.NotDue;
        if (last.due > now) return Error.NotDue;
        return self.letters.pop();
    }
};

/// A ring of fixed size for anything.
pub fn Ring(comptime T: type, comptime size: usize) type {
    if (size == 0) @compileError("a ring needs room for one entry at least");

    return struct {
        items: [size]T = undefined,
        count: usize = 0,

        const RingSelf = @This();

        /// The oldest entry makes room.
        pub fn push(self: *RingSelf, item: T) void {
            self.items[self.count % size] = item;
            self.count += 1;
        }

        pub fn latest(self: *const RingSelf) ?T {
            if (self.count == 0) return null;
            return self.items[(self.count - 1) % size];
        }
    };
}

export fn queue_version() u32 {
    return 3;
}

test "letters come out in the order in which they are due" {
    var queue = Queue.init(std.testing.allocator, 4);
    defer queue.deinit();
    try queue.add(.{ .due = 20, .text = "later" });
    try queue.add(.{ .due = 10, .text = "sooner" });
    try std.testing.expectEqualStrings("sooner", (try queue.next(15)).text);
    try std.testing.expectError(Error.NotDue, queue.next(15));
}
