package train

import "github.com/bbgen/bbgen/runtime/model"

// Remote is a session whose state is with other peers, at least in part. Its State has the values of the last Pull.
type Remote interface {
	model.TrainSession

	// Pull sets the values of State to those of the peers.
	Pull() error

	// Push sends the values of State to the peers.
	Push() error

	// Norms returns the norms of the gradients of the last step, in the order of the weights in State.
	Norms() []float64
}

// present returns the state with its present values.
func (t *trainer) present() ([]model.Variable, error) {
	if r, ok := t.s.(Remote); ok {
		if err := r.Pull(); err != nil {
			return nil, err
		}
	}
	return t.s.State(), nil
}

// publish sends a state that was changed to the peers that have it.
func (t *trainer) publish() error {
	if r, ok := t.s.(Remote); ok {
		return r.Push()
	}
	return nil
}
