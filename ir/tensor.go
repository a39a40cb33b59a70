package ir

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

func tensorType(t *tensor.Tensor) Type { return TensorOf(t.DType, Cs(t.Shape...)...) }

// CheckTensor checks that the data of t match its type and shape.
func CheckTensor(t *tensor.Tensor) error {
	if t == nil {
		return errors.New("tensor is nil")
	}
	if !t.DType.Valid() {
		return fmt.Errorf("tensor of %s", t.DType)
	}
	n, err := tensor.NumElements(t.Shape)
	if err != nil {
		return err
	}
	if got := fmt.Sprintf("%T", t.Data); got != "[]"+t.DType.GoType() {
		return fmt.Errorf("tensor of %s holds %s, want []%s", t.DType, got, t.DType.GoType())
	}
	if t.Len() != n {
		return fmt.Errorf("tensor %s has %d elements", t, t.Len())
	}
	return nil
}
