package ir

import "strings"

// PrintNode returns the text form of one node as [Print] prints it, but without its class and version.
func PrintNode(n *Node) string {
	p := &printer{m: &Module{}, bare: true}
	p.node(n)
	return strings.TrimPrefix(p.out.String(), "\n")
}

// PrintFunc is like [PrintNode], for a function.
func PrintFunc(f *Func) string {
	p := &printer{m: &Module{}, bare: true}
	p.fn(f, nil)
	return p.out.String()
}

// PrintAttr is like [PrintNode], for the value of an attribute.
func PrintAttr(v any) string { return (&printer{m: &Module{}}).attr(v) }
