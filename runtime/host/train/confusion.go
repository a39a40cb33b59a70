package train

// maxConfusion is the maximum number of classes for a matrix, whose size is its square.
const maxConfusion = 100

// Confusion counts the predictions of a classifier: rows are the right classes, columns the predicted ones.
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

// scores returns the means over the classes of precision, recall and F1. A class that is never predicted has
// precision 0, and one that is never right recall 0; a class that is neither does not count.
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
