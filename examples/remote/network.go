package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/bbgen/bbgen/internal/digits"
	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// batch holds images and the digits that they show, each as a vector of ten.
type batch struct{ images, digits *tensor.Tensor }

// draw returns batch i of the data set with the given seed.
func draw(seed uint64, i int) batch {
	const size = 64
	n := size
	if i == 0 && seed != 1 {
		n = tests
	}
	x, y := make([]float32, n*digits.Pixels), make([]float32, n*10)
	pixels := make([]byte, digits.Pixels)
	for k := range n {
		y[10*k+int(digits.Sample(seed, i*size+k, pixels))] = 1
		for j, p := range pixels {
			x[k*digits.Pixels+j] = float32(p) / 255
		}
	}
	return batch{tensor.Of(x, n, digits.Pixels), tensor.Of(y, n, 10)}
}

// network has two layers with parameters on a device.
type network struct {
	*remote.Device
	w1, b1, w2, b2 *remote.Tensor
	rate, axis     *remote.Tensor
	made           []*remote.Tensor // by the current step
}

func newNetwork(d *remote.Device) *network {
	r := rand.New(rand.NewPCG(1, 2))
	matrix := func(m, n int) *remote.Tensor {
		x := make([]float32, m*n)
		for i := range x {
			x[i] = float32(r.NormFloat64() / math.Sqrt(float64(m)))
		}
		return d.Register(tensor.Of(x, m, n))
	}
	n := &network{Device: d, w1: matrix(digits.Pixels, hidden), w2: matrix(hidden, 10)}
	n.b1, n.b2 = d.Register(tensor.New(tensor.Float32, hidden)), d.Register(tensor.New(tensor.Float32, 10))
	n.constants()
	return n
}

func (n *network) constants() {
	n.rate, n.axis = n.Register(tensor.Of([]float32{0.5})), n.Register(tensor.Of([]int64{0}, 1))
}

// do runs an operator, and records its result for the end of the step.
func (n *network) do(op string, attrs remote.Attrs, in ...*remote.Tensor) *remote.Tensor {
	t := n.Execute(op, attrs, in...)
	n.made = append(n.made, t)
	return t
}

func (n *network) register(t *tensor.Tensor) *remote.Tensor {
	x := n.Register(t)
	n.made = append(n.made, x)
	return x
}

// forward returns the hidden layer, and the probability of each digit.
func (n *network) forward(x *remote.Tensor) (h, p *remote.Tensor) {
	h = n.do("Relu", nil, n.do("Gemm", nil, x, n.w1, n.b1))
	return h, n.do("Softmax", remote.Attrs{"axis": 1}, n.do("Gemm", nil, h, n.w2, n.b2))
}

// step makes one step of gradient descent. It sends its operations and does not wait for them.
func (n *network) step(b batch) (loss *remote.Tensor) {
	x, y := n.register(b.images), n.register(b.digits)
	h, p := n.forward(x)
	loss = n.Execute("Neg", nil, n.do("ReduceMean", remote.Attrs{"keepdims": false},
		n.do("ReduceSum", remote.Attrs{"keepdims": false}, n.do("Mul", nil, y, n.do("Log", nil, p)), n.register(tensor.Of([]int64{1}, 1)))))

	size := n.register(tensor.Of([]float32{float32(b.images.Shape[0])}))
	dz := n.do("Div", nil, n.do("Sub", nil, p, y), size) // with respect to the softmax's input
	positive := n.do("Cast", remote.Attrs{"to": tensor.Float32}, n.do("Cast", remote.Attrs{"to": tensor.Bool}, h))
	dh := n.do("Mul", nil, positive, n.do("Gemm", remote.Attrs{"transB": true}, dz, n.w2))

	n.descend(&n.w2, n.do("Gemm", remote.Attrs{"transA": true}, h, dz))
	n.descend(&n.b2, n.columns(dz))
	n.descend(&n.w1, n.do("Gemm", remote.Attrs{"transA": true}, x, dh))
	n.descend(&n.b1, n.columns(dh))
	n.release()
	return loss
}

func (n *network) columns(x *remote.Tensor) *remote.Tensor {
	return n.do("ReduceSum", remote.Attrs{"keepdims": false}, x, n.axis)
}

// descend updates a parameter with its gradient.
func (n *network) descend(w **remote.Tensor, gradient *remote.Tensor) {
	next := n.Execute("Sub", nil, *w, n.do("Mul", nil, n.rate, gradient))
	n.made = append(n.made, *w)
	*w = next
}

// release frees the tensors of the step.
func (n *network) release() {
	remote.Release(n.made...)
	n.made = n.made[:0]
}

// to moves the network to another device, directly between the servers.
func (n *network) to(ctx context.Context, d *remote.Device) (*network, error) {
	moved := &network{Device: d}
	for from, to := range map[*remote.Tensor]**remote.Tensor{n.w1: &moved.w1, n.b1: &moved.b1, n.w2: &moved.w2, n.b2: &moved.b2} {
		t, err := from.To(ctx, d)
		if err != nil {
			return nil, err
		}
		*to = t
	}
	moved.constants()
	return moved, nil
}

// bytes returns the size of the parameters in bytes.
func (n *network) bytes() int { return 4 * (digits.Pixels*hidden + hidden + hidden*10 + 10) }

// right returns the fraction of digits that the network recognizes.
func (n *network) right(b batch) *remote.Tensor {
	_, p := n.forward(n.register(b.images))
	argmax := func(x *remote.Tensor) *remote.Tensor {
		return n.do("ArgMax", remote.Attrs{"axis": 1, "keepdims": false}, x)
	}
	same := n.do("Equal", nil, argmax(p), argmax(n.register(b.digits)))
	right := n.Execute("ReduceMean", remote.Attrs{"keepdims": false}, n.do("Cast", remote.Attrs{"to": tensor.Float32}, same))
	n.release()
	return right
}
