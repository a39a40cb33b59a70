package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/raw"
)

// metadataKey is the header's key that names no tensor.
const metadataKey = "__metadata__"

// header is the JSON at the beginning of a file.
type header struct {
	metadata map[string]string
	entries  []entry
}

// entry is one tensor of a header; its bytes go from begin to end, counted from
// the header's end.
type entry struct {
	name       string
	dtype      tensor.DType
	shape      []int
	begin, end int64
}

// check returns an error unless the entries fill size bytes in some order, and sorts them in that order.
func (h *header) check(size int64) error {
	slices.SortFunc(h.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end), cmp.Compare(a.name, b.name))
	})
	at := int64(0)
	for _, e := range h.entries {
		if e.begin != at {
			return fmt.Errorf("tensor %q begins at byte %d, want %d, where the one before it ends", e.name, e.begin, at)
		}
		n, err := tensor.NumElements(e.shape)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", e.name, err)
		}
		if !whole(n, e.dtype) {
			return fmt.Errorf("tensor %q: %s does not fill its last byte", e.name, tensor.TypeText(e.dtype, e.shape))
		}
		if want := raw.Len(n, e.dtype); e.end-e.begin != want {
			return fmt.Errorf("tensor %q: bytes %d to %d, want %d of them for %s", e.name, e.begin, e.end, want, tensor.TypeText(e.dtype, e.shape))
		}
		if at = e.end; at > size {
			return fmt.Errorf("tensor %q ends at byte %d of %d", e.name, e.end, size)
		}
	}
	if at != size {
		return fmt.Errorf("file has %d bytes of data, its tensors %d", size, at)
	}
	return nil
}

// appendHeader appends the header's length and the header, padded so that the
// data begin at a multiple of 8 bytes of the file.
func (f *File) appendHeader(dst []byte, names []string) ([]byte, error) {
	start := len(dst)
	dst = append(dst, make([]byte, 8)...)
	dst = append(dst, '{')
	var err error
	if f.Metadata != nil {
		if dst, err = f.appendMetadata(dst); err != nil {
			return nil, err
		}
	}
	at := int64(0)
	for _, name := range names {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		t := f.Tensors[name]
		if dst, at, err = appendEntry(dst, name, t, at); err != nil {
			return nil, fmt.Errorf("safetensors: tensor %q: %w", name, err)
		}
	}
	dst = append(dst, '}')
	for (len(dst)-start)%8 != 0 {
		dst = append(dst, ' ')
	}
	n := len(dst) - start - 8
	if n > maxHeader {
		return nil, fmt.Errorf("safetensors: header has %d bytes, want at most %d", n, maxHeader)
	}
	binary.LittleEndian.PutUint64(dst[start:], uint64(n))
	return dst, nil
}

func (f *File) appendMetadata(dst []byte) ([]byte, error) {
	dst = append(dst, `"`+metadataKey+`":{`...)
	for i, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendString(dst, key); err != nil {
			return nil, fmt.Errorf("safetensors: metadata key %q: %w", key, err)
		}
		dst = append(dst, ':')
		if dst, err = appendString(dst, f.Metadata[key]); err != nil {
			return nil, fmt.Errorf("safetensors: metadata %q: %w", key, err)
		}
	}
	return append(dst, '}'), nil
}

// appendEntry appends the header's entry of t, which begins at byte at.
func appendEntry(dst []byte, name string, t *tensor.Tensor, at int64) ([]byte, int64, error) {
	r := rank(t.DType)
	switch {
	case name == metadataKey:
		return nil, 0, errors.New("the name is taken by the format")
	case r < 0:
		return nil, 0, fmt.Errorf("the format has no %v", t.DType)
	case !whole(t.Len(), t.DType):
		return nil, 0, fmt.Errorf("%v does not fill its last byte", t)
	}
	dst, err := appendString(dst, name)
	if err != nil {
		return nil, 0, err
	}
	dst = append(dst, `:{"dtype":"`+dtypes[r].name+`","shape":[`...)
	for i, d := range t.Shape {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(d), 10)
	}
	end := at + raw.Len(t.Len(), t.DType)
	return fmt.Appendf(dst, `],"data_offsets":[%d,%d]}`, at, end), end, nil
}

// appendString appends s as JSON.
func appendString(dst []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, errors.New("not UTF-8")
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return nil, err
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...), nil
}
