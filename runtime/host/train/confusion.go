package train

// maxConfusion is of how many classes a matrix is made: it has the square of them.
const maxConfusion = 100

// Confusion counts what a classifier has said: row by row the right class, and in each
// row the class that it said.
type Confusion [][]int

// add counts one label, unless there are too many classes.
func (c *Confusion) add(label, said, classes int) {
	if classes > maxConfusion || label >= classes {
		return
	}
	if *c == nil {
		*c = make(Confusion, classes)
		for i := range *c {
			(*c)[i] = make([]int, classes)
		}
	}
	(*c)[label][said]++
}

// scores are the means over the classes of precision, recall and F1. A class that is
// never said has a precision of 0, and one that is never right a recall of 0; a class
// that is neither said nor right does not count.
func (c Confusion) scores() (precision, recall, f1 float64) {
	classes := 0.0
	for i, row := range c {
		right, said := 0, 0
		for j := range row {
			right += row[j]
			said += c[j][i]
		}
		if right+said == 0 {
			continue
		}
		classes++
		hits := float64(row[i])
		precision += hits / float64(max(said, 1))
		recall += hits / float64(max(right, 1))
		f1 += 2 * hits / float64(right+said)
	}
	return precision / classes, recall / classes, f1 / classes
}
