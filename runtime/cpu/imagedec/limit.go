package imagedec

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

// DefaultMaxPixels is the maximum number of pixels of an image unless [SetMaxPixels] is called: 192 MiB of
// colors.
const DefaultMaxPixels = 1 << 26

var limit atomic.Int64

// SetMaxPixels sets the maximum number of pixels of an image; n < 1 is [DefaultMaxPixels]. A run with a
// larger image fails. The costs of a damaged file are also limited by its size, whatever the limit: see
// [plausible].
//
// While an image is decoded it takes more than its colors, three bytes a pixel. A JPEG, progressive or not, has three bytes for each
// sample besides: 12 bytes a pixel in all for three components of the same size, and 15 for four.
func SetMaxPixels(n int) { limit.Store(int64(n)) }

func maxPixels() int {
	if n := limit.Load(); n > 0 {
		return int(n)
	}
	return DefaultMaxPixels
}

var (
	errSize  = errors.New("the image has no pixels")
	errBytes = errors.New("the file has too few bytes for the pixels that it says it has")
)

// limitError is the error for an image with more pixels than the limit.
type limitError struct{ width, height int }

func (e *limitError) Error() string {
	return fmt.Sprintf("an image has %d×%d pixels, more than the limit of %d: make it smaller, or raise the limit (imagedec.SetMaxPixels, or the server's -max-pixels)",
		e.width, e.height, maxPixels())
}

// checkSize returns an error for an image without pixels, with more pixels than the limit, or with more than
// perByte pixels for each byte of the file.
func checkSize(width, height, perByte, bytes int) error {
	if width < 1 || height < 1 {
		return errSize
	}
	if err := plausible(area(width, height), perByte, bytes); err != nil {
		return err
	}
	return checkLimit(width, height)
}

func checkLimit(width, height int) error {
	if area(width, height) > maxPixels() {
		return &limitError{width, height}
	}
	return nil
}

// area returns the product of two sizes, or the largest number if it overflows.
func area(a, b int) int {
	if a > 0 && b > math.MaxInt/a {
		return math.MaxInt
	}
	return a * b
}

// slack is the number of items that any file may have.
const slack = 1 << 16

// plausible returns an error if a file of the given bytes claims n items, where its format has at most
// perByte items in a byte. It is called before memory is allocated: otherwise a file of a few bytes could
// cost any amount of memory and time.
func plausible(n, perByte, bytes int) error {
	if n > slack+area(perByte, bytes) {
		return errBytes
	}
	return nil
}
