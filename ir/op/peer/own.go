package peer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// OwnType is an author's Go type. Values pass through a program as they are, and over edges as encoded by the
// method AppendBinary or MarshalBinary.
type OwnType struct {
	Package, Name string
	Most          int // limit of the size of an encoded value in bytes
}

const ownPrefix = "go:"

// Type returns the type in graphs.
func (o OwnType) Type() ir.Type {
	return ir.Type{Kind: ir.Opaque, Name: fmt.Sprintf("%s%s.%s:%d", ownPrefix, o.Package, o.Name, o.Most)}
}

// OwnOf returns the Go type for a type in a graph, if it is one.
func OwnOf(t ir.Type) (OwnType, bool) {
	name, ok := strings.CutPrefix(t.Name, ownPrefix)
	colon := strings.LastIndexByte(name, ':')
	dot := strings.LastIndexByte(name[:max(colon, 0)], '.')
	if t.Kind != ir.Opaque || !ok || dot < 1 {
		return OwnType{}, false
	}
	most, err := strconv.Atoi(name[colon+1:])
	return OwnType{name[:dot], name[dot+1 : colon], most}, err == nil && most > 0
}

// IsOwn reports whether a type is an author's Go type.
func IsOwn(t ir.Type) bool {
	_, ok := OwnOf(t)
	return ok
}
