/** All of ECharts in one file, which loads four times as fast as its hundreds of parts. */
declare module "echarts/dist/echarts.esm.min" {
  export { init } from "echarts";
}
