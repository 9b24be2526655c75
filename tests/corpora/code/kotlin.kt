@file:JvmName("Greenhouses")

package garden.climate

import java.time.Duration
import java.time.Instant
import kotlin.math.abs
import kotlinx.coroutines.flow.Flow

/** One reading of one sensor, in degrees and percent. */
@Serializable
data class Reading(
    val at: Instant,
    val temperature: Double,
    val humidity: Double,
) {
    val isDamp: Boolean get() = humidity > 85.0
}

/** What the window motors understand. */
sealed interface Command {
    data class Open(val percent: Int) : Command
    data object Close : Command
}

/**
 * Keeps the air of one house near what its plants like.
 *
 * Windows move at most once in ten minutes.
 */
class Controller(
    private val name: String,
    private val target: Double,
    private val motor: (Command) -> Unit,
) {
    private val readings = ArrayDeque<Reading>()
    private var moved: Instant = Instant.EPOCH

    /** The mean of the last readings, or the target while there are none. */
    val average: Double
        get() {
            if (readings.isEmpty()) return target
            val temperatures = readings.map { reading -> reading.temperature }
            return temperatures.sum() / temperatures.size
        }

    constructor(name: String, motor: (Command) -> Unit) : this(name, DEFAULT_TARGET, motor) {
        println("the house $name has no target of its own, so it gets the usual one")
    }

    // A single hot reading moves nothing: only the average does.
    fun accept(reading: Reading) {
        readings.addLast(reading)
        if (readings.size > WINDOW) readings.removeFirst()
        val difference = average - target
        if (abs(difference) > TOLERANCE && mayMove(reading.at)) move(difference, reading.at)
    }

    @Synchronized
    private fun move(difference: Double, now: Instant) {
        val command = if (difference > 0) Command.Open((difference * 20).toInt()) else Command.Close
        motor(command)
        moved = now
    }

    private fun mayMove(now: Instant): Boolean = Duration.between(moved, now) > PAUSE

    companion object {
        const val DEFAULT_TARGET = 21.5
        const val WINDOW = 12
        const val TOLERANCE = 0.75
        val PAUSE: Duration = Duration.ofMinutes(10)

        /** Builds a controller that only writes down what it would do. */
        @JvmStatic
        fun rehearsal(name: String, log: MutableList<Command>): Controller {
            return Controller(name, DEFAULT_TARGET) { command -> log.add(command) }
        }
    }
}

/** Readings that differ from their neighbour by more than a sensor's own noise. */
fun List<Reading>.jumps(noise: Double = 0.3): List<Reading> =
    zipWithNext().filter { (left, right) -> abs(left.temperature - right.temperature) > noise }
        .map { (_, right) -> right }

suspend fun follow(readings: Flow<Reading>, controller: Controller) {
    readings.collect { reading ->
        controller.accept(reading)
    }
}
