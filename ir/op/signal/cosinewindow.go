package signal

import "github.com/bbgen/bbgen/ir/op"

func inferWindow(c *op.Infer) error {
	elem, err := outputType(c.Node)
	if err != nil {
		return err
	}
	n, err := readLength(c, 0)
	c.OutTensor(0, elem, n)
	return err
}

// cosineWindow lowers to a0 - a1·cos(2πi/n) + a2·cos(4πi/n).
func cosineWindow(a0, a1, a2 float64) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		countLength(l, 0, 0, op.Shape(l.Out[0])[0])
		l.Call("CosineWindow", l.Out[0], l.Int("periodic") != 0, a0, a1, a2)
		return nil
	}
}
