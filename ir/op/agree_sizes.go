package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// agreeAxis: axis k of v has want elements.
func agreeAxis(v *ir.Value, k int, want ir.Dim) Agreement {
	return Agreement{fmt.Sprintf("the elements of %q along axis %d", v.Name, k), Shape(v)[k], want}
}

// agreeSquare: the matrices are square.
func agreeSquare(n *ir.Node) []Agreement {
	s := Shape(n.In[0])
	return []Agreement{{columnsOf(n.In[0]), s[len(s)-1], s[len(s)-2]}}
}
