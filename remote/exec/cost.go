package exec

import "google.golang.org/protobuf/encoding/protowire"

// structureCost is the maximum memory in bytes for decoding a byte of a model, except for the elements of
// tensors: the smallest node is two bytes of file.
const structureCost = 128

// decodeCost returns a limit of the memory for decoding a model.
func decodeCost(model []byte) int {
	elements := 0
	each(model, 7, func(graph []byte) { // ModelProto.graph
		each(graph, 5, func(initializer []byte) { // GraphProto.initializer
			each(initializer, 9, func(raw []byte) { elements += len(raw) }) // TensorProto.raw_data
		})
	})
	return elements + structureCost*(len(model)-elements)
}

// each calls f for each field with a number that has bytes. It stops at the first error.
func each(b []byte, number protowire.Number, f func(p []byte)) {
	for len(b) > 0 {
		have, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		if b = b[n:]; have == number && wire == protowire.BytesType {
			p, k := protowire.ConsumeBytes(b)
			if k < 0 {
				return
			}
			f(p)
		}
		if n = protowire.ConsumeFieldValue(have, wire, b); n < 0 {
			return
		}
		b = b[n:]
	}
}
