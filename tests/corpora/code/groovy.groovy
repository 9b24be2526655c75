#!/usr/bin/env groovy
package workshop.bikes

import groovy.transform.CompileStatic
import java.time.LocalDate
import static java.lang.Math.max

@Grab('org.slf4j:slf4j-api:2.0.9')

/** What a customer brings in. */
class Bike {
    String frame
    int gears = 7
    boolean electric

    String toString() { "bike ${frame} with ${gears} gears" }
}

enum State {
    WAITING, APART, READY
}

/**
 * One job in the workshop.
 *
 * Prices are in cents.
 */
@CompileStatic
class Repair implements Comparable<Repair> {
    static final int HOURLY = 6500

    final Bike bike
    State state = State.WAITING
    private List<String> parts = []

    Repair(Bike bike, LocalDate due) {
        this.bike = bike
        this.due = due ?: LocalDate.now().plusDays(3)
        log.info('a new job for the workshop')
    }

    /** Parts are charged as they are taken from the shelf. */
    void use(String part, int cents) {
        if (state == State.READY) {
            throw new IllegalStateException("${bike} is finished")
        }
        parts << part
        total += cents
    }

    // A customer never pays for less than half an hour.
    @Override
    int compareTo(Repair other) {
        def mine = max(minutes, 30) * HOURLY
        def theirs = max(other.minutes, 30) * HOURLY
        return due <=> other.due ?: mine <=> theirs
    }

    static <T extends Repair> List<T> dueBefore(List<T> repairs, LocalDate day) {
        repairs.findAll { repair -> repair.due < day && repair.state != State.READY }.sort()
    }

    def finish = { String note ->
        state = State.READY
        notes << note
    }
}

interface Shelf {
    /** Takes a part away, if there is one. */
    boolean take(String part)
    int count(String part)
}

def "the cheapest repair comes first"() {
    given:
    def cheap = new Repair(new Bike(frame: 'steel'), null)
    def dear = new Repair(new Bike(frame: 'carbon'), null)

    expect:
    [dear, cheap].sort().first() == cheap
}

def shelf = [bell: 12, chain: 4, pedal: 30]

pipeline {
    agent any
    stages {
        stage('Count the shelf') {
            steps {
                sh './gradlew count --info --no-daemon'
                junit testResults: 'build/reports/**/*.xml', allowEmptyResults: true
                echo "counted ${shelf.size()} kinds of parts"
            }
        }
        stage('Order') {
            when { branch 'main' }
            steps {
                sh './gradlew order -Psupplier=cheapest -Pexpress=false'
                archiveArtifacts artifacts: 'orders/*.csv', fingerprint: true
            }
        }
    }
    post {
        always { mail to: 'workshop@example.org', subject: 'parts were ordered' }
    }
}
