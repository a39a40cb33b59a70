package train

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// otherAxis warns of an output whose class axis has a size that varies, while its last axis has a fixed one, as in
// float32[batch,seq,1000] of a language model: the number of classes does not vary.
func otherAxis(m *ir.Module, loss *Loss) []string {
	y := m.Main.Body.Results[0]
	axis, last := cmp.Or(loss.Axis, 1), len(y.Type.Shape)-1
	if loss.Name != "cross_entropy" && loss.Name != "nll" || axis < 0 || axis >= last {
		return nil
	}
	if _, fixed := y.Type.Shape[axis].Const(); fixed {
		return nil
	}
	classes, fixed := y.Type.Shape[last].Const()
	if !fixed {
		return nil
	}
	return []string{fmt.Sprintf("the loss %s takes axis %d of output %q, %v, for the classes: if they are the %d on the last axis, give --class-axis -1", loss.Name, axis, y.Name, y.Type, classes)}
}
