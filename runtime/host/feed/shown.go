package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

// shortList is how many elements a line shows.
const shortList = 16

// Shown returns the parts of a tensor for a line of JSON: its elements if they are few, its type, and a hash of
// its elements.
func Shown(t *tensor.Tensor) (value any, typ, hash string) {
	typ = tensor.TypeText(t.DType, t.Shape)
	if t.DType != tensor.String {
		sum := sha256.New()
		raw.Write(sum, t)
		hash = hex.EncodeToString(sum.Sum(nil))
	}
	if t.Len() > shortList {
		return nil, typ, hash
	}
	if list, ok := t.Data.([]uint8); ok { // JSON would encode them as base64
		numbers := make([]int, len(list))
		for i, x := range list {
			numbers[i] = int(x)
		}
		return numbers, typ, hash
	}
	if _, err := json.Marshal(t.Data); err != nil { // NaN
		return fmt.Sprint(t.Data), typ, hash
	}
	return t.Data, typ, hash
}
