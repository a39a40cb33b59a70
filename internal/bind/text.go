package bind

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
)

// Text lists the slots of a program with what is bound to them: a Go type with its exported methods, or the file of a
// model.
func (t *Types) Text(m *ir.Module) string {
	var b strings.Builder
	for _, kv := range m.Meta {
		if !artifact.IsBinding(kv.Key) {
			continue
		}
		fmt.Fprintf(&b, "slot %s: ", artifact.SlotOf(kv.Key))
		bound, err := artifact.Parse(kv.Key, kv.Value)
		switch {
		case err != nil:
			fmt.Fprintln(&b, err)
		case bound.Model != "":
			fmt.Fprintf(&b, "model %q\n", bound.Model)
		case bound.Type == "":
			fmt.Fprintln(&b, "nothing")
		default:
			fmt.Fprintf(&b, "%s.%s\n%s", bound.Package, bound.Type, t.methods(bound))
		}
	}
	return b.String()
}

// methods lists the exported methods of a bound type, a line each.
func (t *Types) methods(bound *artifact.Binding) string {
	c, err := t.component(bound)
	if err != nil {
		return "  " + err.Error() + "\n"
	}
	var b strings.Builder
	set := types.NewMethodSet(types.NewPointer(c))
	for i := range set.Len() {
		if f := set.At(i).Obj().(*types.Func); token.IsExported(f.Name()) {
			text := types.TypeString(f.Type(), (*types.Package).Name)
			fmt.Fprintf(&b, "  %s%s\n", f.Name(), strings.TrimPrefix(text, "func"))
		}
	}
	return b.String()
}
