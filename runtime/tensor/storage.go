package tensor

import "unsafe"

// storage holds functions for a tensor's slice when only the dtype is known.
type storage struct {
	make  func(n int) any
	len   func(data any) int
	bytes func(data any) []byte // nil for strings
	view  func(b []byte, n int) any
}

var storages = [len(dtypes)]storage{
	Float32:        storageOf[float32](),
	Uint8:          storageOf[uint8](),
	Int8:           storageOf[int8](),
	Uint16:         storageOf[uint16](),
	Int16:          storageOf[int16](),
	Int32:          storageOf[int32](),
	Int64:          storageOf[int64](),
	String:         storageOf[string](),
	Bool:           storageOf[bool](),
	Float16:        storageOf[F16](),
	Float64:        storageOf[float64](),
	Uint32:         storageOf[uint32](),
	Uint64:         storageOf[uint64](),
	Complex64:      storageOf[complex64](),
	Complex128:     storageOf[complex128](),
	BFloat16:       storageOf[BF16](),
	Float8E4M3FN:   storageOf[F8E4M3FN](),
	Float8E4M3FNUZ: storageOf[F8E4M3FNUZ](),
	Float8E5M2:     storageOf[F8E5M2](),
	Float8E5M2FNUZ: storageOf[F8E5M2FNUZ](),
	Uint4:          storageOf[U4](),
	Int4:           storageOf[I4](),
	Float4E2M1:     storageOf[F4E2M1](),
	Float8E8M0:     storageOf[F8E8M0](),
	Uint2:          storageOf[U2](),
	Int2:           storageOf[I2](),
}

func storageOf[T Element]() storage {
	return storage{
		make:  func(n int) any { return make([]T, n) },
		len:   func(data any) int { return len(data.([]T)) },
		bytes: func(data any) []byte { return bytesOf(data.([]T)) },
		view:  func(b []byte, n int) any { return View[T](b, 0, n) },
	}
}

// bytesOf is the memory of s; strings have none.
func bytesOf[T Element](s []T) []byte {
	if _, ok := any(s).([]string); ok {
		return nil
	}
	if len(s) == 0 {
		return []byte{}
	}
	size := int(unsafe.Sizeof(s[0]))
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*size)
}
