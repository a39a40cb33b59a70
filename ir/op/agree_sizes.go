package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// agreeAxis: axis k of v has want elements.
func agreeAxis(v *ir.Value, k int, want ir.Dim) Agreement {
	return Agreement{What: fmt.Sprintf("the elements of %q along axis %d", v.Name, k), Got: Shape(v)[k], Want: want}
}

// agreeSquare: the matrices are square.
func agreeSquare(n *ir.Node) []Agreement {
	s := Shape(n.In[0])
	return []Agreement{{What: columnsOf(n.In[0]), Got: s[len(s)-1], Want: s[len(s)-2]}}
}
