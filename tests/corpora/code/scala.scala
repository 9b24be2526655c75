package library.search

import java.nio.file.{Files, Path}
import scala.collection.mutable
import scala.util.control.NonFatal

/** A word and the pages on which it stands. */
final case class Entry(word: String, pages: Vector[Int]) {
  def merge(other: Entry): Entry = copy(pages = (pages ++ other.pages).distinct.sorted)
}

/** How two entries are put in order. */
trait Collation {
  def compare(left: Entry, right: Entry): Int

  // Without an opinion of its own a collation keeps capitals apart.
  def key(word: String): String = word.trim.replace('\u00ad', '-').stripPrefix("the ")
}

/** The register at the back of a book.
  *
  * It is filled page by page and printed once.
  */
class Register(title: String, collation: Collation) extends Iterable[Entry] {

  private val entries = mutable.HashMap.empty[String, Entry]
  private var lastPage = 0

  /** Adds the words of one page; pages come in order. */
  @throws[IllegalArgumentException]("if a page comes twice")
  def add(page: Int, words: Iterable[String]): Unit = {
    require(page > lastPage, s"page $page of $title has been added before")
    for (word <- words if word.length > 2) {
      val entry = Entry(word, Vector(page))
      entries.updateWith(collation.key(word))(known => Some(known.fold(entry)(_.merge(entry))))
    }
    lastPage = page
  }

  override def iterator: Iterator[Entry] =
    entries.values.toVector.sortWith((a, b) => collation.compare(a, b) < 0).iterator

  def sections: Map[Char, Seq[Entry]] = {
    val grouped = iterator.toVector.groupBy(entry => entry.word.head.toUpper)
    grouped.map { case (letter, found) => letter -> found.sortBy(_.word) }
  }

  private def render(entry: Entry): String =
    s"${entry.word} ${entry.pages.mkString(", ")}"
}

object Register {
  /** Words that stand on every page say nothing about one. */
  val Stopwords: Set[String] = Set("and", "the", "with", "from", "into")

  def read(folder: Path, collation: Collation): Register = {
    val register = new Register(folder.getFileName.toString, collation)
    try {
      Files.list(folder).sorted.forEach { file =>
        val words = Files.readString(file).split("\\W+").filterNot(Stopwords)
        register.add(file.getFileName.toString.takeWhile(_.isDigit).toInt, words)
      }
    } catch {
      case NonFatal(cause) => throw new IllegalStateException(s"cannot read $folder", cause)
    }
    register
  }
}

enum Layout(val columns: Int):
  case Narrow extends Layout(1)
  case Wide extends Layout(2)

  def width(paper: Int): Int = (paper - 4 * (columns - 1)) / columns

extension (entry: Entry)
  def isRare: Boolean = entry.pages.sizeIs < 2

  /** Pages in a row become a range, as printers like it. */
  def ranges: String =
    entry.pages.foldLeft(List.empty[(Int, Int)]) {
      case ((first, last) :: rest, page) if page == last + 1 => (first, page) :: rest
      case (found, page)                                     => (page, page) :: found
    }.reverse.map((first, last) => if first == last then s"$first" else s"$first-$last").mkString(", ")

given alphabetical: Ordering[Entry] with
  def compare(left: Entry, right: Entry): Int = left.word.compareToIgnoreCase(right.word)

@main def printRegister(folder: String): Unit =
  println(Register.read(Path.of(folder), (a, b) => alphabetical.compare(a, b)).size)
