package columnar

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits on the pages of a Parquet file.
const (
	maxHeader = 1 << 20   // bytes of a page's header, which may hold a statistic
	maxPage   = 256 << 20 // bytes of a page, uncompressed
	maxValues = 1 << 24   // values of a page
)

// plainDictionary is the name that old files have for RLEDictionary.
const plainDictionary format.Encoding = 2

// chunkCheck checks the values of a column in a row group before the library reads them: it allocates what the headers
// of pages, compressed blocks and runs of equal values claim.
type chunkCheck struct {
	leaf *parquet.Column
	meta *format.ColumnMetaData
	left int64 // values that pages may still have
}

// run goes through the pages.
func (c *chunkCheck) run(r io.ReaderAt, size int64) error {
	m := c.meta
	start := m.DataPageOffset
	if m.DictionaryPageOffset > 0 {
		start = min(start, m.DictionaryPageOffset)
	}
	if start < 4 || m.TotalCompressedSize < 0 || m.TotalCompressedSize > size-start {
		return fmt.Errorf("%d bytes from byte %d on, the file has %d", m.TotalCompressedSize, start, size)
	}
	c.left = m.NumValues
	b := bufio.NewReaderSize(io.NewSectionReader(r, start, m.TotalCompressedSize), maxHeader)
	for end := m.TotalCompressedSize; end > 0; {
		n, err := c.page(b, end)
		if err != nil {
			return err
		}
		end -= n
	}
	return nil
}

// page checks the next page, of which at most end bytes are there. It returns the length of the page.
func (c *chunkCheck) page(b *bufio.Reader, end int64) (int64, error) {
	head, err := b.Peek(int(min(end, maxHeader)))
	if err != nil {
		return 0, err
	}
	n, err := thriftLen(head)
	if err != nil {
		return 0, fmt.Errorf("the header of a page: %w", err)
	}
	var h format.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), head[:n], &h); err != nil {
		return 0, fmt.Errorf("the header of a page: %w", err)
	}
	b.Discard(n)
	packed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if packed < 0 || packed > end-int64(n) || size < 0 || size > maxPage {
		return 0, fmt.Errorf("a page of %d bytes, %d uncompressed: want at most %d, and %d", packed, size, end-int64(n), maxPage)
	}
	body := make([]byte, packed)
	if _, err := io.ReadFull(b, body); err != nil {
		return 0, err
	}
	return int64(n) + packed, c.body(&h, body)
}

// body checks the content of a page.
func (c *chunkCheck) body(h *format.PageHeader, body []byte) error {
	size := int(h.UncompressedPageSize)
	switch h.Type {
	case format.DictionaryPage:
		page, err := unpack(c.meta.Codec, body, size)
		if n := int(h.DictionaryPageHeader.V.NumValues); err == nil && (n < 0 || n > maxValues || n > 8*len(page)) {
			err = fmt.Errorf("a dictionary of %d values in %d bytes", n, len(page))
		}
		return err
	case format.DataPage:
		page, err := unpack(c.meta.Codec, body, size)
		if err != nil {
			return err
		}
		d := h.DataPageHeader.V
		return c.data(int(d.NumValues), d.Encoding, page, c.levelsV1)
	case format.DataPageV2:
		d := h.DataPageHeaderV2.V
		rep, def := int(d.RepetitionLevelsByteLength), int(d.DefinitionLevelsByteLength)
		if rep < 0 || def < 0 || rep > len(body) || def > len(body)-rep || rep+def > size {
			return fmt.Errorf("levels of %d and %d bytes, in a page of %d", rep, def, len(body))
		}
		values, err := body[rep+def:], error(nil)
		if !d.IsCompressed.Valid || d.IsCompressed.V {
			if values, err = unpack(c.meta.Codec, values, size-rep-def); err != nil {
				return err
			}
		}
		return c.data(int(d.NumValues), d.Encoding, values, func(n int, page []byte) ([]byte, error) {
			return page, errors.Join(checkRuns(body[:rep], n, levelBits(c.leaf.MaxRepetitionLevel())), checkRuns(body[rep:rep+def], n, levelBits(c.leaf.MaxDefinitionLevel())))
		})
	case format.IndexPage:
		return nil
	}
	return fmt.Errorf("a page of type %v", h.Type)
}

// data checks a page with n values; levels checks the levels and returns what follows them.
func (c *chunkCheck) data(n int, e format.Encoding, page []byte, levels func(int, []byte) ([]byte, error)) error {
	if n < 0 || n > maxValues || int64(n) > c.left {
		return fmt.Errorf("a page of %d values, want at most %d", n, min(c.left, maxValues))
	}
	c.left -= int64(n)
	page, err := levels(n, page)
	if err != nil {
		return err
	}
	switch e {
	case format.Plain, format.ByteStreamSplit:
		return nil
	case plainDictionary, format.RLEDictionary:
		if len(page) == 0 {
			return nil
		}
		return checkRuns(page[1:], n, int(page[0]))
	case format.RLE:
		if len(page) < 4 {
			return io.ErrUnexpectedEOF
		}
		return checkRuns(page[4:], n, 1)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		return checkDelta(page, n)
	}
	return fmt.Errorf("the encoding %v is not supported: write the file with the encoding PLAIN or with dictionaries", e)
}

// levelsV1 checks the levels at the beginning of a page.
func (c *chunkCheck) levelsV1(n int, page []byte) ([]byte, error) {
	for _, most := range []int{c.leaf.MaxRepetitionLevel(), c.leaf.MaxDefinitionLevel()} {
		if most == 0 {
			continue
		}
		if len(page) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		size := binary.LittleEndian.Uint32(page)
		if uint64(size) > uint64(len(page)-4) {
			return nil, io.ErrUnexpectedEOF
		}
		if err := checkRuns(page[4:4+size], n, levelBits(most)); err != nil {
			return nil, err
		}
		page = page[4+size:]
	}
	return page, nil
}

func levelBits(most int) int { return bits.Len(uint(most)) }

// checkRuns checks that runs of values with some bits each are not more than n values, and those of packed bits not
// more than a few.
func checkRuns(b []byte, n, width int) error {
	if width > 32 {
		return fmt.Errorf("values of %d bits", width)
	}
	for total := 0; len(b) > 0; {
		u, k := binary.Uvarint(b)
		if k <= 0 || u>>1 > maxValues {
			return fmt.Errorf("a run of %d values, in a page of %d", u>>1, n)
		}
		count, size := int(u>>1), (width+7)/8
		if u&1 != 0 {
			size = count * width
			count *= 8
		}
		if total += count; total > n+8+n/8 {
			return fmt.Errorf("runs of %d values, in a page of %d", total, n)
		}
		if size > len(b)-k {
			return io.ErrUnexpectedEOF
		}
		b = b[k+size:]
	}
	return nil
}

// checkDelta checks the number of values in a block of differences.
func checkDelta(b []byte, n int) error {
	for i := range 3 { // the size of blocks, their parts, the number of values
		u, k := binary.Uvarint(b)
		if k <= 0 || u > maxValues || i == 2 && u > uint64(n) {
			return fmt.Errorf("differences of %d values, in a page of %d", u, n)
		}
		b = b[k:]
	}
	return nil
}

// unpack decompresses a block whose uncompressed size is known, and allocates no more than that.
func unpack(codec format.CompressionCodec, b []byte, size int) ([]byte, error) {
	var r io.Reader
	switch codec {
	case format.Uncompressed:
		return b, nil
	case format.Snappy:
		n, err := snappy.DecodedLen(b)
		if err != nil || n != size {
			return nil, fmt.Errorf("a compressed block of %d bytes, want %d (%v)", n, size, err)
		}
		return snappy.Decode(nil, b)
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		r = z
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(b))
	case format.Zstd:
		z, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxPage))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	default: // NB: the library's decoder of LZ4_RAW returns wrong values for what hardly compresses
		return nil, fmt.Errorf("the compression %v is not supported: write the file with zstd, snappy, gzip, brotli or none", codec)
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(r, int64(size)+1))
	if err == nil && n != int64(size) {
		err = fmt.Errorf("a compressed block of at least %d bytes, want %d", n, size)
	}
	return out.Bytes(), err
}
