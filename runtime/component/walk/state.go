package walk

import (
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// AppendBinary appends the token, the copy of a passed one, and the latest one that was here. What others have told is not
// part of it: they tell it again.
func (w *Walk) AppendBinary(b []byte) ([]byte, error) {
	b = values.AppendScalar(values.AppendScalar(b, w.begun), w.arrived)
	b = appendStamp(b, w.seen)
	b = appendToken(appendToken(b, w.held), w.passed)
	b = values.AppendScalar(values.AppendScalar(b, int64(w.waited)), int64(w.silent))
	return values.AppendDense(b, tensor.DenseOf(w.model, len(w.model))), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (w *Walk) UnmarshalBinary(b []byte) error {
	var x Walk
	var err error
	var waited, silent int64
	var model tensor.Dense[float64]
	f := values.NewFields(b)
	values.ReadScalar(f, &x.begun)
	values.ReadScalar(f, &x.arrived)
	x.seen = readStamp(f)
	if x.held, err = readToken(f); err != nil {
		return err
	}
	if x.passed, err = readToken(f); err != nil {
		return err
	}
	values.ReadScalar(f, &waited)
	values.ReadScalar(f, &silent)
	values.ReadDense(f, &model)
	if err := f.End(); err != nil {
		return err
	}
	w.begun, w.latest, w.seen, w.held, w.passed, w.to, w.arrived = x.begun, x.seen, x.seen, x.held, x.passed, wire.PeerID{}, x.arrived
	w.waited, w.silent, w.model = int(waited), int(silent), model.Data
	return nil
}
