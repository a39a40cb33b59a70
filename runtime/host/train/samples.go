package train

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Sample is a held-back image with its prediction.
type Sample struct {
	Shape       []int     // rows and columns, or channels, rows and columns
	Pixels      []float32 // in the model's form; borrowed until the next validation
	Label, Said string    // the classes' names, or numbers
	Right       bool
}

// maxSamples is the number of images of a validation.
const maxSamples = 16

// sample records the predictions for the first images of a validation.
func (t *trainer) sample(b *batch, out *tensor.Tensor) {
	shape, ok := imageShape(t.val.input.spec.Shape)
	pixels, floats := b.x.Data.([]float32)
	if !ok || !floats || len(t.recorders) == 0 || len(t.samples) > 0 {
		return
	}
	labels := t.val.classes(b)
	if labels.Len() != len(b.indices) {
		return // an image has several labels
	}
	size, at := t.val.input.spec.Len(), 0
	n := min(maxSamples, labels.Len(), t.val.source.Len())
	countHits(out, labels, n, func(class, said, _ int) {
		for label(labels, at) < 0 {
			at++ // the label does not count
		}
		t.samples = append(t.samples, Sample{
			Shape: shape, Pixels: slices.Clone(pixels[at*size : (at+1)*size]),
			Label: t.className(class), Said: t.className(said), Right: class == said,
		})
		at++
	})
}

// imageShape returns the shape of examples that are images; ok is false for others.
func imageShape(shape []int) (image []int, ok bool) {
	switch {
	case len(shape) == 2:
		return shape, shape[0] > 1 && shape[1] > 1
	case len(shape) == 3:
		return shape, shape[0] == 1 || shape[0] == 3
	}
	return nil, false
}

// className returns the name of a class.
func (t *trainer) className(class int) string {
	if class < len(t.set.Names) {
		return t.set.Names[class]
	}
	return fmt.Sprint(class)
}
