package trained

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Differentiate is the first half of a step with inputs and targets. It returns the loss; then
// ParameterGradients returns the gradients.
func (m *Model) Differentiate(ctx context.Context, in ...*tensor.Tensor) (float32, error) {
	if err := m.setInputs(ctx, in); err != nil {
		return 0, err
	}
	m.pass = nil
	loss, err := m.session.(model.SplitSession).Gradients()
	return float32(loss), err
}

// ParameterGradients returns the gradients of the weights as one vector, in the order of the model. The next
// call overwrites them.
func (m *Model) ParameterGradients() tensor.Dense[float32] {
	x := m.gradientVector()
	gather(x, m.session.(model.SplitSession).ParameterGradients())
	return tensor.DenseOf(x, len(x))
}

// gradientVector returns memory for the gradients of all weights.
func (m *Model) gradientVector() []float32 {
	if m.gradients == nil {
		m.gradients = make([]float32, len(m.flat.Data))
	}
	return m.gradients
}

// ApplyGradients is the second half of a step, with gradients in the form of ParameterGradients: of this model,
// or averaged over several.
func (m *Model) ApplyGradients(ctx context.Context, g tensor.Dense[float32]) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(g.Data) != len(m.flat.Data) {
		return fmt.Errorf("got %d gradients, want %d", len(g.Data), len(m.flat.Data))
	}
	m.completePass()
	m.pass = nil
	s := m.session.(model.SplitSession)
	scatter(s.ParameterGradients(), g.Data)
	return s.ApplyGradients(m.rate())
}
