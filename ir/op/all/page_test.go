package all

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// attrsCell returns the attributes of the newest version for OPS.md.
func attrsCell(o *op.Op) string {
	var out []string
	for _, a := range o.Attrs {
		if a.Own || a.Until != 0 {
			continue
		}
		s := a.Name
		switch {
		case a.Required:
			s += ": " + a.Kind.String()
		case a.Default == nil:
			s += "?: " + a.Kind.String()
		default:
			s += fmt.Sprintf(" = %v", a.Default)
			if a.Default == "" {
				s += `""`
			}
		}
		if a.Values != nil {
			s += " of " + strings.TrimSuffix(strings.Join(a.Values, ", "), ", ")
		}
		if a.Fixed {
			s += " alone"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// portsCell returns the inputs and outputs of the newest version for OPS.md.
func portsCell(o *op.Op) string {
	return portsText(op.PortsAt(o.Inputs, o.Newest())) + " → " + portsText(op.PortsAt(o.Outputs, o.Newest()))
}

func portsText(ports []op.Port) string {
	var out []string
	for _, p := range ports {
		s := p.Name
		if p.Types != nil {
			s += " (" + p.Types.String()
			if p.Lacks != (elem.Set{}) {
				s += "; of ONNX's not " + list(p.Lacks)
			}
			s += ")"
		}
		switch {
		case p.Optional:
			s = "[" + s + "]"
		case p.Variadic:
			s += " …"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// list names the types of a set one by one.
func list(s elem.Set) string {
	var out []string
	for d := tensor.Float32; d.Valid(); d++ {
		if s.Has(d) {
			out = append(out, d.String())
		}
	}
	return strings.Join(out, ", ")
}
