<?php

declare(strict_types=1);

namespace App\Booking;

use App\Calendar\Day;
use App\Mail\{Letter, Postman};

const MAX_NIGHTS = 28;

/**
 * Books rooms and confirms them by letter.
 */
#[Service]
final class BookingDesk implements Desk
{
    use Loggable;

    private array $rooms = [];

    public function __construct(private Postman $postman, array $rooms)
    {
        $this->rooms = array_filter($rooms, fn (Room $room) => $room->isClean());
        $this->log('open with ' . count($this->rooms) . ' rooms');
    }

    /** Books the first free room, or returns null when there is none. */
    public function book(Guest $guest, Day $from, int $nights): ?Booking
    {
        foreach ($this->rooms as $room) {
            if ($room->isFree($from, $nights) && $nights <= MAX_NIGHTS) {
                $booking = new Booking($guest, $room, $from, $nights);
                $this->postman->send(Letter::confirming($booking));
                return $booking;
            }
        }
        return null;
    }

    public function count(): int { return count($this->rooms); }
}

interface Desk
{
    public function count(): int;
}

function price_of(Booking $booking): int
{
    $price = $booking->room->price * $booking->nights;
    return $booking->nights >= 7 ? intdiv($price * 9, 10) : $price;
}
