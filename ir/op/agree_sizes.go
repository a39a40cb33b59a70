package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// agreeAxis: axis k of v has want elements.
func agreeAxis(v *ir.Value, k int, want ir.Dim) Agreement {
	return Agreement{fmt.Sprintf("the elements of %q along axis %d", v.Name, k), Shape(v)[k], want}
}

// agreeShapes: both inputs have one shape.
func agreeShapes(n *ir.Node) []Agreement {
	var out []Agreement
	for k, d := range Shape(n.In[0]) {
		out = append(out, agreeAxis(n.In[1], k, d))
	}
	return out
}

// agreeSquare: the matrices are square.
func agreeSquare(n *ir.Node) []Agreement {
	s := Shape(n.In[0])
	return []Agreement{{columnsOf(n.In[0]), s[len(s)-1], s[len(s)-2]}}
}

// agreeSplit: the parts are the whole.
func agreeSplit(n *ir.Node) []Agreement {
	axis, err := Axis(n.Int("axis", 0), len(Shape(n.In[0])))
	if err != nil {
		return nil
	}
	sum := ir.C(0)
	for _, v := range n.Out {
		if v == nil {
			return nil
		}
		sum = sum.Add(Shape(v)[axis])
	}
	return []Agreement{agreeAxis(n.In[0], axis, sum)}
}

// agreeReverseSequence: there is a length for each sequence.
func agreeReverseSequence(n *ir.Node) []Agreement {
	return []Agreement{agreeAxis(n.In[1], 0, Shape(n.In[0])[n.Int("batch_axis", 1)])}
}

// agreeGridSample: there is a grid for each image, of a coordinate for each of its
// axes.
func agreeGridSample(n *ir.Node) []Agreement {
	x, grid := Shape(n.In[0]), Shape(n.In[1])
	return []Agreement{agreeAxis(n.In[1], 0, x[0]), agreeAxis(n.In[1], len(grid)-1, ir.C(len(x)-2))}
}

// agreeNonMaxSuppression: boxes have four coordinates, and a score in each class.
func agreeNonMaxSuppression(n *ir.Node) []Agreement {
	boxes := Shape(n.In[0])
	return []Agreement{agreeAxis(n.In[0], 2, ir.C(4)), agreeAxis(n.In[1], 0, boxes[0]), agreeAxis(n.In[1], 2, boxes[1])}
}

// agreeCausalConv: there is a filter of one channel for each channel, and a state as
// long as a filter reaches back.
func agreeCausalConv(n *ir.Node) []Agreement {
	x, w := Shape(n.In[0]), Shape(n.In[1])
	out := []Agreement{agreeAxis(n.In[1], 0, x[1]), agreeAxis(n.In[1], 1, ir.C(1))}
	if bias := n.Arg(2); bias != nil {
		out = append(out, agreeAxis(bias, 0, x[1]))
	}
	if past := n.Arg(3); past != nil {
		out = append(out, agreeAxis(past, 0, x[0]), agreeAxis(past, 1, x[1]), agreeAxis(past, 2, w[2].Sub(ir.C(1))))
	}
	return out
}
