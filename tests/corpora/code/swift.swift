import Foundation
@testable import TideKit
import class UIKit.UIView

/// One high or low water at a gauge.
public struct Tide: Codable, Equatable {
    let time: Date
    let heightInMetres: Double
    var isHigh: Bool { heightInMetres > 2.1 }
}

/// Whoever wants to hear of the water.
@objc protocol TideObserver: AnyObject {
    var name: String { get }

    func gauge(_ gauge: String, reached height: Double, at time: Date)

    /// Called at most once a day.
    func gaugeWentSilent(_ gauge: String, since time: Date, after silence: TimeInterval) throws

    func gaugeDidReturn(_ gauge: String, at time: Date, withFirst reading: Tide) -> TimeInterval
}

enum GaugeError: Error {
    case silent(since: Date)
    case implausible(height: Double)
}

/// Reads one gauge and tells its observers.
///
/// All calls come on the main queue.
@MainActor
public final class Gauge: NSObject, ObservableObject {
    private let place: String
    private var observers: [TideObserver] = []
    @Published private(set) var latest: Tide?

    /// Heights above this alarm the harbour master.
    var alarmHeight: Double = 3.8 {
        didSet {
            guard alarmHeight != oldValue, let latest else { return }
            notify(of: latest, isAlarm: latest.heightInMetres > alarmHeight)
        }
    }

    public init(place: String, alarmHeight: Double? = nil) {
        self.place = place
        super.init()
        if let alarmHeight { self.alarmHeight = alarmHeight }
    }

    deinit {
        observers.removeAll()
    }

    // The gauge repeats itself when the line is bad, so equal readings are dropped.
    @discardableResult
    func accept(_ tide: Tide) throws -> Bool {
        guard tide.heightInMetres < 20 else {
            throw GaugeError.implausible(height: tide.heightInMetres)
        }
        if tide == latest { return false }
        latest = tide
        notify(of: tide, isAlarm: tide.heightInMetres > alarmHeight)
        return true
    }

    #if DEBUG
    func rehearse(heights: [Double]) {
        for (hour, height) in heights.enumerated() {
            _ = try? accept(Tide(time: Date(timeIntervalSince1970: Double(hour) * 3600), heightInMetres: height))
        }
    }
    #endif

    private func notify(of tide: Tide, isAlarm: Bool) {
        for observer in observers {
            observer.gauge(place, reached: tide.heightInMetres, at: tide.time)
        }
        if isAlarm { NSLog("alarm at %@", place) }
    }

    static func == (left: Gauge, right: Gauge) -> Bool {
        left.place == right.place && left.latest == right.latest && left.alarmHeight == right.alarmHeight
    }
}

extension Gauge {
    /// The tide in words, for the display on the quay.
    func announcement(in locale: Locale) -> String {
        guard let latest else { return "no reading from \(place) yet" }
        let height = latest.heightInMetres.formatted(.number.precision(.fractionLength(1)).locale(locale))
        return "\(place): \(height) m"
    }

    subscript(hour: Int) -> Date {
        let start = latest?.time ?? Date(timeIntervalSinceReferenceDate: 0)
        return Calendar.current.date(byAdding: .hour, value: hour, to: start) ?? start
    }
}

let harbourGauge = Gauge(place: "harbour", alarmHeight: 4.1)

func mean(_ tides: [Tide]) -> Double {
    tides.isEmpty ? 0 : tides.map(\.heightInMetres).reduce(0, +) / Double(tides.count)
}
