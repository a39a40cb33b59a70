// Package linear holds linear algebra: matrix products, of floats and of quantized numbers,
// the forms of them that passes make (fused, transposed, on stored numbers), Einsum,
// determinants and cross products.
package linear
