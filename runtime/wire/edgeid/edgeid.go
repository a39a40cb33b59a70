// Package edgeid computes the ids of edges and types from their canonical strings. Compilers and tests use it.
// Peers contain the ids as numbers, and link neither this package nor its hash function.
package edgeid

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Text returns the canonical text of the edge from a port of a module to peers
// of a class. In typ, every symbolic dimension is a question mark.
//
// No part may hold a newline, which none of ONNX's names does.
func Text(module, port, class, typ string) string {
	return module + "\n" + port + "\n" + class + "\n" + typ
}

// Edge returns the id of an edge from its canonical text.
func Edge(text string) wire.EdgeID { return wire.EdgeID(hash(text)) }

// Type returns the hash of a type from its canonical text, such as float32[?,10].
func Type(text string) wire.TypeHash { return wire.TypeHash(hash(text)) }

func hash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:])
}
