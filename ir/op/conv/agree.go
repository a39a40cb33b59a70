package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// agreeConv requires that the images at input x have the channels that the filters at input w expect.
func agreeConv(x, w int) func(n *ir.Node) []op.Agreement {
	return func(n *ir.Node) []op.Agreement {
		groups := ir.C(n.Int("group"))
		filters := op.Shape(n.In[w])[0]
		return []op.Agreement{
			{What: channelsOf(n.In[x]), Got: op.Shape(n.In[x])[1], Want: filterChannels(n, w)},
			{What: fmt.Sprintf("the filters of %q", n.In[w].Name), Got: filters, Want: filters.Div(groups).Mul(groups)},
		}
	}
}

// agreeConvLast requires it of images and filters with the channels last.
func agreeConvLast(n *ir.Node) []op.Agreement {
	return []op.Agreement{{What: channelsOf(n.In[op.X]), Got: lastImages(n)[1], Want: filterChannels(n, 1)}}
}

// agreeConvTranspose requires that the images have as many channels as the first axis of the filters has elements.
func agreeConvTranspose(n *ir.Node) []op.Agreement {
	return []op.Agreement{{What: channelsOf(n.In[convX]), Got: op.Shape(n.In[convX])[1], Want: op.Shape(n.In[convW])[0]}}
}

// agreeConvTransposeLast requires it of images with the channels last.
func agreeConvTransposeLast(n *ir.Node) []op.Agreement {
	return []op.Agreement{{What: channelsOf(n.In[convX]), Got: channelsFirst(op.Shape(n.In[convX]))[1], Want: op.Shape(n.In[convW])[0]}}
}

func channelsOf(v *ir.Value) string { return fmt.Sprintf("the channels of %q", v.Name) }

func filterChannels(n *ir.Node, w int) ir.Dim {
	return op.Shape(n.In[w])[1].Mul(ir.C(n.Int("group")))
}
