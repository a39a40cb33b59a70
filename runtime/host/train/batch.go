package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/fault"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// batch is examples in the form of a source and in the form of the program. If both are the same they share
// memory.
type batch struct {
	indices       []int
	x, y          *tensor.Tensor   // of the source
	in, label     *tensor.Tensor   // of the program; label is nil if it reads none
	moreColumns   []*tensor.Tensor // further columns of the source
	programInputs []*tensor.Tensor // of the program, in the order of its inputs and targets
	err           error
}

// setInputs sets the batch as the inputs of the next step.
func (b *batch) setInputs(s model.TrainSession) error {
	for i, v := range b.programInputs {
		if err := s.SetInput(i, v); err != nil {
			return err
		}
	}
	return nil
}

// notFinite returns the first example of the batch with features or labels that are not finite, or -1.
func (b *batch) notFinite() int {
	for _, t := range []*tensor.Tensor{b.x, b.y} {
		values, _ := t.Data.([]float32)
		i := slices.IndexFunc(values, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) })
		if i >= 0 {
			return i / (len(values) / len(b.indices))
		}
	}
	return -1
}

// fitting converts a source's examples to a port's tensor.
type fitting struct {
	spec   dataset.Spec
	port   model.Port
	oneHot int // the number of classes, if class numbers become one-hot vectors
}

// fit returns the fitting of examples of a type for an input, or an error.
func fit(spec dataset.Spec, port model.Port) (*fitting, error) {
	return (&fitting{spec: spec, port: port}).checked()
}

// fitTarget returns the fitting of labels of a type for a target, or an error. Class numbers become one-hot
// vectors if the loss compares vectors.
func fitTarget(spec dataset.Spec, port model.Port) (*fitting, error) {
	f := &fitting{spec: spec, port: port}
	if dims := known(port.Dims); port.Elem.IsFloat() && spec.Len() == 1 && len(dims) == 2 && dims[1] > 1 {
		f.oneHot = dims[1]
	}
	return f.checked()
}

// checked returns f, or an error if the examples do not fit.
func (f *fitting) checked() (*fitting, error) {
	dims := known(f.port.Dims)
	n := 1
	if dims[0] > 0 {
		n = dims[0] // the number that the model fixes
	}
	if _, err := f.shape(n); err != nil {
		return nil, err
	}
	return f, nil
}

// shape returns the shape of a port's tensor for n examples.
func (f *fitting) shape(n int) ([]int, error) {
	dims := known(f.port.Dims)
	total := n * f.spec.Len() * max(f.oneHot, 1)
	rest, open := 1, 0
	for _, d := range dims {
		if d < 0 {
			open++
		} else {
			rest *= d
		}
	}
	natural := append([]int{n}, f.spec.Shape...)
	switch {
	case open == 0 && rest == total:
		return dims, nil
	case f.isBatch(dims) && total != n*rest && !slices.Equal(f.spec.Shape[max(len(f.spec.Shape)-len(dims)+1, 0):], dims[1:]):
		return nil, f.mismatch(n)
	case open == 1 && rest > 0 && total%rest == 0:
		dims[slices.Index(dims, -1)] = total / rest
		return dims, nil
	case open > 1 && len(natural) == len(dims) && f.oneHot == 0:
		for i, d := range dims {
			if d >= 0 && d != natural[i] {
				return nil, f.mismatch(n)
			}
		}
		return natural, nil
	}
	return nil, f.mismatch(n)
}

// isBatch reports whether the first axis alone is open and is the number of examples: a name, not a product such as n*4.
// It may also be the number of rows, if an example is several rows of the other axes.
func (f *fitting) isBatch(dims []int) bool {
	return len(dims) > 1 && dims[0] < 0 && !slices.Contains(dims[1:], -1) && !strings.ContainsAny(f.port.Dims[0], "*+-") && f.oneHot == 0
}

// errMismatch is wrapped by the error of a port that cannot take the examples.
var errMismatch = errors.New("the data give")

func (f *fitting) mismatch(n int) error {
	given := "examples"
	if n > 1 {
		given = fmt.Sprint(n, " examples")
	}
	return fmt.Errorf("%s takes %v[%s], %w %s of %v", f.port.Name, f.port.Elem, strings.Join(f.port.Dims, ","), errMismatch, given, f.spec)
}

// tensor returns the port's tensor for n examples of src.
func (f *fitting) tensor(n int, src *tensor.Tensor) (*tensor.Tensor, error) {
	shape, err := f.shape(n)
	if err != nil {
		return nil, err
	}
	if f.port.Elem == src.DType && f.oneHot == 0 {
		return &tensor.Tensor{DType: src.DType, Shape: shape, Data: src.Data}, nil
	}
	return tensor.New(f.port.Elem, shape...), nil
}

// convert fills dst from src, unless they share memory.
func (f *fitting) convert(dst, src *tensor.Tensor) error {
	if f.oneHot > 0 {
		hot := make([]float32, src.Len()*f.oneHot)
		for i := range src.Len() {
			class := int(element(src, i))
			if class < 0 || class >= f.oneHot || float64(class) != element(src, i) {
				return fmt.Errorf("label %g, want a class from 0 to %d", element(src, i), f.oneHot-1)
			}
			hot[i*f.oneHot+class] = 1
		}
		src = tensor.Of(hot, len(hot))
	} else if dst.DType == src.DType {
		return nil
	}
	return assign(dst, src)
}

// element returns element i of src; sources give floats or integers.
func element(src *tensor.Tensor, i int) float64 {
	if d, ok := src.Data.([]float32); ok {
		return float64(d[i])
	}
	return float64(tensor.Data[int64](src)[i])
}

// assign converts every element.
func assign(dst, src *tensor.Tensor) error {
	switch d := dst.Data.(type) {
	case []float32:
		each(d, src, func(v float64) float32 { return float32(v) })
	case []float64:
		each(d, src, func(v float64) float64 { return v })
	case []tensor.F16:
		each(d, src, func(v float64) tensor.F16 { return tensor.ToFloat16(float32(v)) })
	case []tensor.BF16:
		each(d, src, func(v float64) tensor.BF16 { return tensor.ToBFloat16(float32(v)) })
	case []uint8:
		each(d, src, func(v float64) uint8 { return uint8(v) })
	case []int8:
		each(d, src, func(v float64) int8 { return int8(v) })
	case []int16:
		each(d, src, func(v float64) int16 { return int16(v) })
	case []int32:
		each(d, src, func(v float64) int32 { return int32(v) })
	case []bool:
		each(d, src, func(v float64) bool { return v != 0 })
	default:
		return fmt.Errorf("data cannot become %v", dst.DType)
	}
	return nil
}

func each[T any](dst []T, src *tensor.Tensor, to func(float64) T) {
	for i := range dst {
		dst[i] = to(element(src, i))
	}
}

// loader fills batches from a source.
type loader struct {
	source        dataset.DataSource
	input, target *fitting   // target is nil if the program reads no labels
	more          []*fitting // of further columns
	inputs        int        // how many of all are inputs
}

// newBatch returns a batch with room for n examples.
func (l *loader) newBatch(n int) (*batch, error) {
	b := &batch{indices: make([]int, n), x: l.source.Features().Tensor(n), y: l.source.Labels().Tensor(n)}
	var err error
	if b.in, err = l.input.tensor(n, b.x); err != nil {
		return nil, err
	}
	if l.target != nil {
		if b.label, err = l.target.tensor(n, b.y); err != nil {
			return nil, err
		}
	}
	var others []*tensor.Tensor
	for _, m := range l.more {
		src := m.spec.Tensor(n)
		t, err := m.tensor(n, src)
		if err != nil {
			return nil, err
		}
		b.moreColumns, others = append(b.moreColumns, src), append(others, t)
	}
	k := l.inputs - 1
	b.programInputs = slices.Concat([]*tensor.Tensor{b.in}, others[:k])
	if l.target != nil {
		b.programInputs = slices.Concat(b.programInputs, []*tensor.Tensor{b.label}, others[k:])
	}
	return b, nil
}

// otherTensors returns the program's tensors except its first input and its first target.
func (l *loader) otherTensors(b *batch) []*tensor.Tensor {
	return slices.Concat(b.programInputs[1:l.inputs], b.programInputs[min(l.inputs+1, len(b.programInputs)):])
}

// fill reads the examples of b.indices; vary changes their features.
func (l *loader) fill(b *batch, vary func(*batch)) error {
	if err := l.source.Batch(b.indices, b.x, b.y); err != nil {
		return err
	}
	if vary != nil {
		vary(b)
	}
	if err := l.input.convert(b.in, b.x); err != nil {
		return err
	}
	if err := dataset.BatchMore(l.source, b.indices, b.moreColumns); err != nil {
		return err
	}
	for i, t := range l.otherTensors(b) {
		if err := l.more[i].convert(t, b.moreColumns[i]); err != nil {
			return err
		}
	}
	if l.target == nil {
		return nil
	}
	return l.target.convert(b.label, b.y)
}

// share is a part of each batch: the examples from index from to before index to.
type share struct{ from, to int }

// share returns the part that this peer computes.
func (t *trainer) share() share {
	if t.team == nil {
		return share{0, t.batch}
	}
	return t.team.share(t.batch, t.fixed)
}

// feed prepares batches while others are computed. A batch that is taken from ready is returned to free.
type feed struct {
	share
	ready, free chan *batch
	stop        func() // ends the feed; sources are not used after that
}

// prefetch prepares this peer's share of the batches from the next step on, two in advance.
func (t *trainer) prefetch(ctx context.Context) (*feed, error) {
	const ahead = 3
	ctx, cancel := context.WithCancel(ctx)
	f := &feed{share: t.share(), ready: make(chan *batch, ahead), free: make(chan *batch, ahead)}
	f.stop = func() {
		cancel()
		for range f.ready {
		}
	}
	for range ahead {
		b, err := t.train.newBatch(f.to - f.from)
		if err != nil {
			cancel()
			return nil, err
		}
		f.free <- b
	}
	go t.fill(ctx, f, t.Step, t.total)
	return f, nil
}

// fill prepares the batches of steps first to last-1.
func (t *trainer) fill(ctx context.Context, f *feed, first, last int) {
	defer close(f.ready)
	epoch, order := -1, []int(nil)
	for step := first; step < last; step++ {
		var b *batch
		select {
		case b = <-f.free:
		case <-ctx.Done():
			return
		}
		if e := step / t.perEpoch; e != epoch {
			epoch, order = e, t.order(e)
		}
		copy(b.indices, order[step%t.perEpoch*t.batch+f.from:])
		b.err = t.prepare(b, epoch)
		f.ready <- b // does not block: there are no more batches than its capacity
	}
}

// prepare fills a batch whose indices are set. Sources may be the caller's own: a panic of a source becomes the
// batch's error.
func (t *trainer) prepare(b *batch, epoch int) (err error) {
	defer fault.Catch("examples", &err)
	return t.train.fill(b, func(b *batch) { t.opt.Augment.Apply(t.opt.Seed, epoch, b.indices, b.x) })
}
