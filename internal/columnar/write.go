package columnar

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// room is the size of the header of an array, which is written last.
const room = 128

// writer writes the examples of one part.
type writer struct {
	*converter
	x     *os.File
	out   *bufio.Writer
	yName string
	dtype tensor.DType
	row   []byte // of the line that is written
	width int    // of a line; 0 before the first
	n     int    // lines written

	labels  []float64 // those that are numbers
	label   wordList  // the words of labels
	indices []int     // labels that are words
}

// newWriter begins the array of features.
func (c *converter) newWriter(x, y string) (*writer, error) {
	f, err := os.Create(x)
	if err != nil {
		return nil, err
	}
	w := &writer{converter: c, x: f, out: bufio.NewWriterSize(f, 1<<20), yName: y, dtype: c.dtype()}
	_, err = w.out.Write(make([]byte, room))
	return w, err
}

// lines writes lines.
func (w *writer) lines(at Place, lines int, cells []Cells) error {
	for line := range lines {
		m := w.missing(cells, line)
		if m >= 0 && w.choice.Drop {
			w.leftOut++
			continue
		}
		if label := len(cells) - 1; m >= 0 && w.choice.Fill {
			if m = -1; w.isMissing(label, &cells[label], line) {
				m = label
			}
		}
		if m >= 0 {
			return w.missingError(at, line, m)
		}
		if err := w.line(cells, line); err != nil {
			return fmt.Errorf("%s: line %d: %w", at.Group, at.First+line, err)
		}
	}
	return nil
}

// missingError is the error of a missing cell.
func (w *writer) missingError(at Place, line, i int) error {
	col := w.columns[w.reads[i]]
	how := "--missing drop leaves such lines out, --missing 0 takes them for 0"
	if i == len(w.choice.Features) {
		how = "it is the label; --missing drop leaves such lines out"
	}
	return fmt.Errorf("%s: line %d: column %q (%s) is missing or NaN (%s)", at.Group, at.First+line, col.Name, col.Type, how)
}

// line writes a line.
func (w *writer) line(cells []Cells, line int) error {
	w.row = w.row[:0]
	for i := range w.choice.Features {
		if err := w.feature(i, &cells[i], line); err != nil {
			return fmt.Errorf("column %q: %w", w.columns[w.choice.Features[i]].Name, err)
		}
	}
	if w.n++; w.width == 0 {
		w.width = len(w.row)
	}
	if _, err := w.out.Write(w.row); err != nil {
		return err
	}
	return w.target(&cells[len(cells)-1], line)
}

// feature appends a cell to the row.
func (w *writer) feature(i int, c *Cells, line int) error {
	if w.choice.Categories[i] {
		word := c.Words[line]
		k, ok := w.words[i].known[word]
		if !ok && word != "" {
			return fmt.Errorf("is %q, which the examples for training do not have", word)
		}
		for j := range w.words[i].list {
			v := float32(0)
			if ok && j == k {
				v = 1
			}
			w.row = binary.LittleEndian.AppendUint32(w.row, math.Float32bits(v))
		}
		return nil
	}
	if err := w.shape(i, c, w.columns[w.choice.Features[i]].List); err != nil {
		return err
	}
	n := c.size()
	for _, v := range c.Floats[line*n:][:n] {
		if v != v {
			v = float64(w.choice.Value)
		}
		if err := w.append(v); err != nil {
			return err
		}
	}
	return nil
}

// shape checks that the cells of a column have one shape in all files.
func (w *writer) shape(i int, c *Cells, list bool) error {
	switch {
	case !list:
		return nil
	case c.Shape == nil:
		return errors.New("no list, and none before, so that the shape is unknown (--missing drop leaves such lines out)")
	case w.shapes[i] == nil:
		w.shapes[i] = slices.Clone(c.Shape)
	case !slices.Equal(w.shapes[i], c.Shape):
		return fmt.Errorf("lists of shape %v, want %v, that of the first file", c.Shape, w.shapes[i])
	}
	return nil
}

// append appends a number to the row.
func (w *writer) append(v float64) error {
	switch w.dtype {
	case tensor.Uint8:
		w.row = append(w.row, byte(v))
	case tensor.Int64:
		if math.Abs(v) > maxExact {
			return fmt.Errorf("is %g, want at most 2^53", v)
		}
		w.row = binary.LittleEndian.AppendUint64(w.row, uint64(int64(v)))
	default:
		f := float32(v)
		if math.IsInf(float64(f), 0) {
			return fmt.Errorf("is %g, want a finite number", v)
		}
		w.row = binary.LittleEndian.AppendUint32(w.row, math.Float32bits(f))
	}
	return nil
}

// maxExact is the largest integer up to which all are exact as a float64.
const maxExact = 1 << 53

// target keeps a label.
func (w *writer) target(c *Cells, line int) error {
	col := w.columns[w.choice.Label]
	if col.Kind == Word {
		i, err := w.label.number(strings.TrimSpace(c.Words[line]))
		w.indices = append(w.indices, i)
		return err
	}
	if err := w.shape(len(w.choice.Features), c, col.List); err != nil {
		return fmt.Errorf("column %q: %w", col.Name, err)
	}
	n := c.size()
	for _, v := range c.Floats[line*n:][:n] {
		if math.IsInf(v, 0) || col.Kind != Float && math.Abs(v) > maxExact {
			return fmt.Errorf("column %q is %g, want a finite number, and a whole one of at most 2^53", col.Name, v)
		}
		w.labels = append(w.labels, v)
	}
	return nil
}

// end writes the header of the features, and the labels.
func (w *writer) end(name string) error {
	if w.n == 0 {
		if w.leftOut > 0 {
			return fmt.Errorf("%s: no examples: all %d lines lack a value, and --missing drop leaves them out", name, w.leftOut)
		}
		return fmt.Errorf("%s: no examples", name)
	}
	shape, names := w.features()
	head, err := tensorio.AppendNPYHeader(nil, w.dtype, append([]int{w.n}, shape...), room)
	if err == nil && len(head) != room {
		err = fmt.Errorf("BUG: a header of %d bytes, want %d", len(head), room)
	}
	if err == nil {
		err = w.out.Flush()
	}
	if err == nil {
		_, err = w.x.WriteAt(head, 0)
	}
	if err == nil {
		err = w.x.Close()
	}
	if err != nil {
		return err
	}
	w.names = names
	y, err := w.targets(name)
	if err != nil {
		return err
	}
	b, err := tensorio.AppendNPY(nil, y)
	if err != nil {
		return err
	}
	return os.WriteFile(w.yName, b, 0o666)
}

// features returns the shape of an example, and the names of its columns; nil if lists are among them.
func (w *writer) features() (shape []int, names []string) {
	for i, f := range w.choice.Features {
		col := w.columns[f]
		switch {
		case col.List && len(w.choice.Features) == 1:
			return w.shapes[i], nil
		case col.List:
			return []int{w.width / w.dtype.Size()}, nil
		case w.choice.Categories[i]:
			for _, word := range w.words[i].list {
				names = append(names, col.Name+"="+word)
			}
		default:
			names = append(names, col.Name)
		}
	}
	return []int{len(names)}, names
}

// targets returns the labels.
func (w *writer) targets(name string) (*tensor.Tensor, error) {
	col := w.columns[w.choice.Label]
	if col.Kind == Word {
		y, names, err := dataset.Labels(name, w.label.list, w.indices, w.classes)
		if err == nil && w.numbers && names != nil {
			i := slices.IndexFunc(names, func(s string) bool { _, err := strconv.ParseFloat(s, 64); return err != nil })
			err = fmt.Errorf("%s: labels are words such as %.60q, those to learn from are numbers", name, names[max(i, 0)])
		}
		w.classes, w.numbers = names, names == nil
		return y, err
	}
	shape := append([]int{w.n}, w.shapes[len(w.choice.Features)]...)
	if col.Kind == Float {
		out := make([]float32, len(w.labels))
		for i, v := range w.labels {
			out[i] = float32(v)
		}
		return tensor.Of(out, shape...), nil
	}
	out := make([]int64, len(w.labels))
	for i, v := range w.labels {
		out[i] = int64(v)
	}
	return tensor.Of(out, shape...), nil
}
