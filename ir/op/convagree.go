package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// agreeConv: the images at input x have the channels that the filters at input w
// take.
func agreeConv(x, w int) func(n *ir.Node) []Agreement {
	return func(n *ir.Node) []Agreement {
		groups := ir.C(n.Int("group"))
		filters := Shape(n.In[w])[0]
		return []Agreement{
			{What: channelsOf(n.In[x]), Got: Shape(n.In[x])[1], Want: filterChannels(n, w)},
			{What: fmt.Sprintf("the filters of %q", n.In[w].Name), Got: filters, Want: filters.Div(groups).Mul(groups)},
		}
	}
}

// agreeConvLast does the same where the channels are the last axis.
func agreeConvLast(n *ir.Node) []Agreement {
	return []Agreement{{What: channelsOf(n.In[0]), Got: lastImages(n)[1], Want: filterChannels(n, 1)}}
}

// agreeConvTranspose: of these filters the first axis is the images' channels.
func agreeConvTranspose(n *ir.Node) []Agreement {
	return []Agreement{{What: channelsOf(n.In[0]), Got: Shape(n.In[0])[1], Want: Shape(n.In[1])[0]}}
}

// agreeConvTransposeLast does the same where the channels are the last axis.
func agreeConvTransposeLast(n *ir.Node) []Agreement {
	return []Agreement{{What: channelsOf(n.In[0]), Got: channelsFirst(Shape(n.In[0]))[1], Want: Shape(n.In[1])[0]}}
}

func channelsOf(v *ir.Value) string { return fmt.Sprintf("the channels of %q", v.Name) }

func filterChannels(n *ir.Node, w int) ir.Dim {
	return Shape(n.In[w])[1].Mul(ir.C(n.Int("group")))
}
