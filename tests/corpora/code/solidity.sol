// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Clock.sol";
import {Ownable} from "@house/access/Ownable.sol";
import * as Units from "../lib/Units.sol";

uint256 constant SHARES = 10_000;

/// A boat was asked for when somebody else had taken it out already, at whatever hour.
error AlreadyOut(uint256 boat, address renter);

/// @notice What a rental has to tell the harbour.
interface IHarbour {
    /// Called before the boat leaves.
    function cast(uint256 boat, address renter) external returns (bool);

    event Moored(uint256 indexed boat, uint256 at);
}

/**
 * @title Lends boats by the hour.
 * @dev Nothing here moves tokens.
 */
contract Rental is Ownable, Clock(60) {
    using Units for uint256;

    struct Boat {
        string name;
        uint256 pricePerHour;
        address renter;
        uint64 since;
        string[] repairs;
        bool isLeaking;
    }

    enum Season {
        Closed,
        Open
    }

    event Rented(uint256 indexed boat, address indexed renter, uint256 at);

    mapping(uint256 => Boat) private boats;
    Season public season;
    IHarbour public immutable harbour;

    modifier inSeason() {
        require(season == Season.Open, "the boats are ashore until the first of May");
        _;
    }

    constructor(IHarbour harbour_) Ownable(msg.sender) {
        harbour = harbour_;
        season = Season.Closed;
    }

    /// Money that comes without a call is given back.
    receive() external payable {
        (bool done, ) = msg.sender.call{value: msg.value}("");
        require(done, "could not give back what came without a call");
    }

    /// @notice Takes a boat out.
    /// @param number of the boat, as painted on its bow
    function rent(uint256 number) external payable inSeason returns (uint256 until) {
        Boat storage boat = boats[number];
        if (boat.renter != address(0)) revert AlreadyOut(number, boat.renter);
        until = block.timestamp + (msg.value * 1 hours) / boat.pricePerHour;
        boat.renter = msg.sender;
        boat.since = uint64(block.timestamp);
        require(harbour.cast(number, msg.sender), "the harbour is closed");
        emit Rented(number, msg.sender, block.timestamp);
    }

    // Anybody may bring a boat back, not only who took it.
    function moor(uint256 number) external {
        Boat storage boat = boats[number];
        uint256 due = cost(boat.pricePerHour, block.timestamp - boat.since);
        delete boat.renter;
        payable(owner()).transfer(due);
    }

    function open(bool isOpen) external onlyOwner {
        season = isOpen ? Season.Open : Season.Closed;
    }
}

library Calendar {
    function isWeekend(uint256 at) internal pure returns (bool) {
        return ((at / 1 days + 4) % 7) % 6 == 0;
    }
}

function cost(uint256 pricePerHour, uint256 time) pure returns (uint256) {
    // Every hour that has begun is paid for.
    return pricePerHour * ((time + 1 hours - 1) / 1 hours);
}
