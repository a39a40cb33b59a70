// Command neon writes the assembly for arm64: loops over vectors, the micro-kernels of products, those of quantized values,
// and conversions of types of 16 bits. Go's assembler supports few of the vector instructions. The others are written as
// words, with their names beside them.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	dir := flag.String("dir", ".", "where the files go")
	flag.Parse()
	for name, write := range map[string]func(*file){
		"vec_arm64.s": vectors, "gemm_arm64.s": products, "int8_arm64.s": integers, "half_arm64.s": halves,
		"nbits_arm64.s": fewBits,
	} {
		f := newFile()
		write(f)
		if err := os.WriteFile(filepath.Join(*dir, name), f.bytes(), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}
